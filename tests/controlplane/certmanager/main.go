// Command cert-manager runs the controllers of cert-manager that an Issuer and a Certificate need, and its cainjector.
//
// cert-manager's own commands are modules that no proxy serves, so this program puts the same packages together. What
// decides, signs and injects is theirs; ACME, Vault, Venafi, ingresses and metrics are left out.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	cmscheme "github.com/cert-manager/cert-manager/pkg/client/clientset/versioned/scheme"
	"github.com/cert-manager/cert-manager/pkg/controller"
	"github.com/cert-manager/cert-manager/pkg/controller/cainjector"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/approver"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/ca"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/selfsigned"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/issuing"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/keymanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/readiness"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/requestmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/revisionmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/trigger"
	_ "github.com/cert-manager/cert-manager/pkg/controller/issuers"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/ca"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/selfsigned"
	"github.com/cert-manager/cert-manager/pkg/util"
	"github.com/go-logr/logr"
	"golang.org/x/sync/errgroup"
	core "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	aggregator "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// What cert-manager's own command waits after a request that failed, unless it is told otherwise.
const (
	firstRetry = time.Hour
	lastRetry  = 32 * time.Hour
	workers    = 5
)

func main() {
	flag.Parse() // controller-runtime has the flag --kubeconfig
	asked, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	log := logr.FromSlogHandler(slog.NewTextHandler(os.Stderr, nil))
	ctrl.SetLogger(log)
	group, ctx := errgroup.WithContext(logr.NewContext(asked, log))
	group.Go(func() error { return control(ctx, group, flag.Lookup("kubeconfig").Value.String()) })
	group.Go(func() error { return inject(ctx) })
	if err := group.Wait(); err != nil && asked.Err() == nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// control starts every controller that was imported, for all namespaces.
func control(ctx context.Context, group *errgroup.Group, kubeconfig string) error {
	factory, err := controller.NewContextFactory(ctx, controller.ContextOptions{
		Kubeconfig: kubeconfig,
		CertificateOptions: controller.CertificateOptions{
			CertificateRequestMinimumBackoffDuration: firstRetry,
			CertificateRequestMaximumBackoffDuration: lastRetry,
		},
	})
	if err != nil {
		return err
	}
	shared, err := factory.Build()
	if err != nil {
		return err
	}
	for name, build := range controller.Known() {
		one, err := build(factory)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		group.Go(func() error { return one.Run(workers, ctx) })
	}
	shared.SharedInformerFactory.Start(ctx.Done())
	shared.KubeSharedInformerFactory.Start(ctx.Done())
	return nil
}

// inject runs the cainjector for webhook configurations.
func inject(ctx context.Context) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	known := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		scheme.AddToScheme, cmscheme.AddToScheme, apiextensions.AddToScheme, aggregator.AddToScheme,
	} {
		if err := add(known); err != nil {
			return err
		}
	}
	manager, err := ctrl.NewManager(
		util.RestConfigWithUserAgent(config, "cainjector"), // and by it the name under which it applies
		ctrl.Options{
			Scheme:  known,
			Metrics: metrics.Options{BindAddress: "0"},
			// As in cert-manager's own command: what is watched is metadata, and a cached Secret would be an older one.
			Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&core.Secret{}}}},
		},
	)
	if err != nil {
		return err
	}
	options := cainjector.SetupOptions{
		EnableCertificatesDataSource: true,
		EnabledReconcilersFor: map[string]bool{
			cainjector.MutatingWebhookConfigurationName:   true,
			cainjector.ValidatingWebhookConfigurationName: true,
		},
	}
	if err := cainjector.RegisterAllInjectors(ctx, manager, options); err != nil {
		return err
	}
	return manager.Start(ctx)
}
