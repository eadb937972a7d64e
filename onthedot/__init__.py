"""On the Dot: a serverless, leader-free scheduler for AWS."""
