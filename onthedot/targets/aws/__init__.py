"""Calls of AWS services: Lambda, SQS, SNS, EventBridge, Step Functions.

Begin with `function.py`. One module a service.
"""
