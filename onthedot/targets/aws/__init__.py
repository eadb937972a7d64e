"""Calls AWS services: Lambda, SQS, SNS, EventBridge, Step Functions.

Begin with `function.py`. Each service has one module.
"""
