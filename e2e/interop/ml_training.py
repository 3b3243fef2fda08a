"""The public Python SDK trains on a hub: submits, lists, reads, cancels and deletes jobs. Prints what it saw as JSON.

ml_training.py ADDRESS KEY_ID KEY PART_ID ORGANIZATION_ID FINISH

FINISH: a file whose being there lets trainings of the hub end.
"""

import asyncio
import json
import pathlib
import sys
from datetime import datetime, timedelta, timezone

from viam.app.viam_client import ViamClient
from viam.proto.app.mltraining import GetTrainingJobLogsRequest, ModelType, TrainingStatus
from viam.rpc.dial import DialOptions

START = datetime(2026, 6, 1, tzinfo=timezone.utc)
KIND = ModelType.MODEL_TYPE_SINGLE_LABEL_CLASSIFICATION
TAGS = ["good", "bad"]


async def refusal(awaitable):
    try:
        await awaitable
        return ["", ""]
    except Exception as error:
        return [error.status.name, error.message]


def facts(job):
    return [job.model_name, job.model_version, TrainingStatus.Name(job.status), list(job.tags)]


async def until(training, job_id, status):
    while (job := await training.get_training_job(job_id)).status != status:
        await asyncio.sleep(0.1)
    return job


async def dataset(data, organization_id, part_id):
    dataset_id = await data.create_dataset("screws", organization_id)
    for index in range(20):
        at = START + timedelta(seconds=index)
        await data.binary_data_capture_upload(
            binary_data=b"picture %d" % index,
            part_id=part_id,
            component_type="rdk:component:camera",
            component_name="front",
            method_name="ReadImage",
            file_extension="jpg",
            tags=[TAGS[index % 2]],
            dataset_ids=[dataset_id],
            data_request_times=(at, at),
        )
    return dataset_id


async def log_of(training, job_id):
    """All of it; this SDK has no method for it, only the stub."""
    lines, token = [], ""
    while True:
        request = GetTrainingJobLogsRequest(id=job_id, page_token=token)
        page = await training._ml_training_client.GetTrainingJobLogs(request, metadata=training._metadata)
        lines += [[line.level, line.message] for line in page.logs]
        token = page.next_page_token
        if not token:
            return lines


async def main():
    address, key_id, key, part_id, organization_id, finish = sys.argv[1:]
    options = DialOptions.with_api_key(api_key=key, api_key_id=key_id)
    options.insecure = True
    client = await ViamClient.create_from_dial_options(options, address)
    training = client.ml_training_client
    dataset_id = await dataset(client.data_client, organization_id, part_id)

    def submit(version, tags=TAGS):
        return training.submit_training_job(organization_id, dataset_id, "screws", version, KIND, tags)

    async def listed(status=None):
        return [facts(job) for job in await training.list_training_jobs(organization_id, status)]

    seen = {"too_few": await refusal(submit("1", ["good", "rusty"]))}
    first = await submit("1")
    await until(training, first, TrainingStatus.TRAINING_STATUS_IN_PROGRESS)
    second = await submit("2")
    seen["taken"] = await refusal(submit("2"))
    seen["listed"] = await listed()
    seen["pending"] = await listed(TrainingStatus.TRAINING_STATUS_PENDING)
    seen["under_way"] = await refusal(training.delete_completed_training_job(first))
    await training.cancel_training_job(second)
    seen["canceled"] = facts(await until(training, second, TrainingStatus.TRAINING_STATUS_CANCELED))
    seen["again"] = await refusal(training.cancel_training_job(second))
    pathlib.Path(finish).touch()
    done = await until(training, first, TrainingStatus.TRAINING_STATUS_COMPLETED)
    seen["done"] = facts(done)
    seen["model_id"] = done.synced_model_id == f"{organization_id}/screws"
    seen["times"] = done.created_on.ToDatetime() <= done.training_started.ToDatetime() <= done.training_ended.ToDatetime()
    seen["log"] = await log_of(training, first)
    await training.delete_completed_training_job(second)
    seen["left"] = await listed()
    seen["gone"] = await refusal(training.get_training_job(second))
    client.close()
    print(json.dumps(seen))


asyncio.run(main())
