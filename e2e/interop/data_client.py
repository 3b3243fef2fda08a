"""The public Python SDK uploads readings, a picture and a file to a hub and reads them back. Prints what it saw as JSON.

data_client.py ADDRESS KEY_ID KEY PART_ID ORGANIZATION_ID
"""

import asyncio
import json
import sys
from datetime import datetime, timedelta, timezone

from viam.app.viam_client import ViamClient
from viam.proto.app.data import Filter, Order, TagsFilter, TagsFilterType
from viam.rpc.dial import DialOptions

START = datetime(2026, 6, 1, tzinfo=timezone.utc)


def at(seconds):
    return START + timedelta(seconds=seconds)


async def main():
    address, key_id, key, part_id, organization_id = sys.argv[1:]
    options = DialOptions.with_api_key(api_key=key, api_key_id=key_id)
    options.insecure = True
    client = await ViamClient.create_from_dial_options(options, address)
    data = client.data_client
    source = {
        "part_id": part_id,
        "component_type": "rdk:component:sensor",
        "component_name": "temperature",
        "method_name": "Readings",
    }
    seen = {}
    seen["tabular_id"] = await data.tabular_data_capture_upload(
        **source,
        tabular_data=[{"readings": {"a": index, "none": None}} for index in range(3)],
        data_request_times=[(at(index), at(index)) for index in range(3)],
        tags=["sdk"],
    )
    exported = await data.export_tabular_data(
        part_id=part_id, resource_name="temperature", resource_api="rdk:component:sensor", method_name="Readings"
    )
    seen["exported"] = [[point.payload["readings"]["a"], point.time_captured.isoformat()] for point in exported]
    seen["resource_api"] = exported[0].resource_api
    latest = await data.get_latest_tabular_data(part_id, "temperature", "rdk:component:sensor", "Readings")
    seen["latest"] = latest[2]
    rows, count, last = await data.tabular_data_by_filter(Filter(component_name="temperature"), 2, Order.ORDER_ASCENDING)
    seen["page"] = [row.data["readings"]["a"] for row in rows]
    rows, count, last = await data.tabular_data_by_filter(
        Filter(component_name="temperature"), 2, Order.ORDER_ASCENDING, last
    )
    seen["next_page"] = [row.data["readings"]["a"] for row in rows]

    rows = await data.tabular_data_by_sql(
        organization_id,
        "SELECT time_received, component_type, tags, data.readings.a AS a, data FROM readings "
        "WHERE component_name = 'temperature' AND time_received >= CAST('2000-01-01T00:00:00.000Z' AS TIMESTAMP) "
        "AND data.readings.a > 0.5 ORDER BY time_received DESC LIMIT 5",
    )
    seen["by_sql"] = [{**row, "time_received": row["time_received"].isoformat()} for row in rows]
    try:
        await data.tabular_data_by_sql(organization_id, "SELECT * FROM read_text('/etc/passwd')")
    except Exception as error:
        seen["refused"] = error.status.name

    dataset_id = await data.create_dataset("pictures", organization_id)
    picture = await data.binary_data_capture_upload(
        binary_data=b"picture",
        part_id=part_id,
        component_type="rdk:component:camera",
        component_name="front",
        method_name="ReadImage",
        file_extension="jpg",
        tags=["good"],
        data_request_times=(at(5), at(6)),
    )
    streamed = await data.streaming_data_capture_upload(data=b"x" * 200_000, part_id=part_id, file_ext="png")
    file_id = await data.file_upload(part_id=part_id, data=b"text", file_name="/home/me/notes.txt", file_extension=".txt")
    await data.add_tags_to_binary_data_by_ids(["more"], [picture, file_id])
    await data.add_binary_data_to_dataset_by_ids([picture], dataset_id)
    box = await data.add_bounding_box_to_image_by_id(picture, "screw", 0.1, 0.2, 0.3, 0.4)
    both = await data.binary_data_by_ids([picture, file_id])
    seen["binary"] = [
        {
            "bytes": item.binary.decode(),
            "name": item.metadata.file_name,
            "ext": item.metadata.file_ext,
            "tags": list(item.metadata.capture_metadata.tags),
            "datasets": len(item.metadata.dataset_ids),
            "boxes": [one.label for one in item.metadata.annotations.bboxes],
        }
        for item in both
    ]
    tagged = Filter(tags_filter=TagsFilter(type=TagsFilterType.TAGS_FILTER_TYPE_TAGGED))
    found, count, last = await data.binary_data_by_filter(tagged, include_binary_data=False)
    seen["tagged"] = sorted(item.metadata.binary_data_id for item in found) == sorted([picture, file_id])
    seen["tags"] = sorted(await data.tags_by_filter(Filter(part_id=part_id)))
    seen["labels"] = list(await data.bounding_box_labels_by_filter())
    await data.remove_bounding_box_from_image_by_id(box, picture)
    large, count, last = await data.binary_data_by_filter(Filter(mime_type=["image/png"]))
    seen["streamed"] = [[item.metadata.binary_data_id == streamed, len(item.binary)] for item in large]
    seen["datasets"] = [item.name for item in await data.list_datasets_by_organization_id(organization_id)]
    seen["deleted"] = await data.delete_binary_data_by_ids([picture, file_id])
    seen["deleted_readings"] = await data.delete_tabular_data(organization_id, 0)
    client.close()
    print(json.dumps(seen))


asyncio.run(main())
