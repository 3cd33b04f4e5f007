"""What the HTTP sides of the service and of the controller share."""
