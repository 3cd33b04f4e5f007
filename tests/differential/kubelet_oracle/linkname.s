// An assembly file lets configuration.go declare functions of other packages without a body.
