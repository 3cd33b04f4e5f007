"""What Prometheus and Grafana are given: whom to scrape, when to wake somebody, and a dashboard."""
