"""Write an experiment with twelve runs: python experiment.py TRACKING_URI."""

import sys

import mlflow

mlflow.set_tracking_uri(sys.argv[1])
mlflow.set_experiment("churn")
for number in range(12):
    with mlflow.start_run(run_name=f"forest-{number:02}"):
        mlflow.log_params({"depth": 2 + number * 5 % 9, "lr": 0.01 * (1 + number * 7 % 5)})
        mlflow.log_metrics({"auc": round(0.7 + 0.017 * (number * 5 % 12), 4), "loss": round(0.5 - 0.01 * number, 3)})
