import pathlib
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "src"))

import model_file  # noqa: E402
from attributes import read_attributes  # noqa: E402
from runner import BadInput, Runner, UnusableFile  # noqa: E402


class RunnerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def runner(self, content):
        file = self.folder / "model.tflite"
        file.write_bytes(content)
        return Runner(str(file), 1)

    def refusal(self, kind, content):
        with self.assertRaises(kind) as caught:
            self.runner(content)
        return str(caught.exception)

    def test_runs_with_an_only_input_of_any_name(self):
        runner = self.runner(model_file.colour_means(size=(2, 2)))
        picture = np.zeros((1, 2, 2, 3), dtype=np.float32)
        picture[0, :, :, 1] = 0.75
        (means,) = runner.run({"anything": picture}).values()
        np.testing.assert_allclose(means, [[0, 0.75, 0]])

    def test_takes_several_inputs_by_name_and_says_which_there_are(self):
        runner = self.runner(model_file.sum_of_two())
        left, right = np.array([1, 2], dtype=np.float32), np.array([10, 20], dtype=np.float32)
        np.testing.assert_allclose(runner.run({"right": right, "left": left})["total"], [11, 22])
        with self.assertRaisesRegex(BadInput, r'no input "up"; it has "left" \(float32 \[2\]\), "right" \(float32 \[2\]\)'):
            runner.run({"left": left, "up": right})
        with self.assertRaisesRegex(BadInput, r'input "right" \(float32 \[2\]\) is missing; sent were: "left"'):
            runner.run({"left": left})

    def test_names_tensors_by_the_signature_or_the_metadata(self):
        runner = self.runner(model_file.sum_of_two(("one", "other", "sum")))
        self.assertEqual(([one.name for one in runner.inputs], [one.name for one in runner.outputs]), (["one", "other"], ["sum"]))
        ones = np.ones(2, dtype=np.float32)
        np.testing.assert_allclose(runner.run({"one": ones, "other": ones})["sum"], [2, 2])
        noted = self.runner(model_file.all_models()["noted.tflite"])
        self.assertEqual((noted.inputs[0].name, noted.outputs[0].name, noted.metadata.name), ("image", "probability", "colours"))
        file = noted.outputs[0].metadata.label_file
        self.assertEqual((file.name, file.is_axis, file.labels), ("labels.txt", True, ["red", "green", "blue"]))

    def test_runs_a_model_whose_metadata_is_damaged(self):
        damaged = b"\xff\xff\xff\x7f" + b"\xff" * 60
        runner = self.runner(model_file.colour_means(metadata=damaged))
        self.assertEqual(runner.metadata.name, "")
        self.assertEqual(runner.inputs[0].name, "serving_default_image:0")

    def test_gives_quantised_outputs_as_what_they_stand_for(self):
        for kind, quantisation, dtype, level in (
            (model_file.UINT8, model_file.QUANTISATION, np.uint8, 204),
            (model_file.INT8, model_file.SIGNED_QUANTISATION, np.int8, 204 - 128),
        ):
            runner = self.runner(model_file.colour_means(kind, quantisation=quantisation))
            self.assertAlmostEqual(runner.inputs[0].quantisation[0], quantisation[0])
            self.assertEqual(runner.inputs[0].quantisation[1], quantisation[1])
            (means,) = runner.run({"": np.full((1, 8, 8, 3), level, dtype=dtype)}).values()
            self.assertEqual(means.dtype, np.float32)
            np.testing.assert_allclose(means, [[0.8, 0.8, 0.8]], atol=1e-6)

    def test_takes_any_size_where_it_is_free_and_goes_on_after_one_that_it_refused(self):
        runner = self.runner(model_file.colour_means(size=(-1, -1)))
        self.assertEqual(runner.inputs[0].shape, (1, -1, -1, 3))
        for height, width in ((5, 3), (40, 30), (5, 3)):
            picture = np.full((1, height, width, 3), 0.5, dtype=np.float32)
            (means,) = runner.run({"": picture}).values()
            np.testing.assert_allclose(means, [[0.5, 0.5, 0.5]], rtol=1e-5)
            with self.assertRaisesRegex(BadInput, r"is \[1, 5, 3, 4\]; allowed is \[1, -1, -1, 3\], where -1 is any size"):
                runner.run({"": np.zeros((1, 5, 3, 4), dtype=np.float32)})

    def test_refuses_another_shape_or_type(self):
        runner = self.runner(model_file.colour_means(size=(4, 4)))
        with self.assertRaisesRegex(BadInput, r"is \[1, 4, 5, 3\]; allowed is \[1, 4, 4, 3\]$"):
            runner.run({"": np.zeros((1, 4, 5, 3), dtype=np.float32)})
        with self.assertRaisesRegex(BadInput, "is uint8; allowed is float32"):
            runner.run({"": np.zeros((1, 4, 4, 3), dtype=np.uint8)})

    def test_names_a_file_that_is_no_model(self):
        with self.assertRaisesRegex(UnusableFile, "model_path /nowhere/x.tflite cannot be read: No such file"):
            Runner("/nowhere/x.tflite", 1)
        self.assertIn("is no TensorFlow Lite file (5 bytes", self.refusal(UnusableFile, b"hello"))
        whole = model_file.colour_means()
        for length in (9, 40, len(whole) // 2, len(whole) - 40):
            self.assertIn("model.tflite is no model that can be run: ", self.refusal(UnusableFile, whole[:length]))


class AttributesTest(unittest.TestCase):
    def test_are_checked(self):
        self.assertEqual(read_attributes({"model_path": "m", "num_threads": 3.0}).num_threads, 3)
        self.assertGreaterEqual(read_attributes({"model_path": "m"}).num_threads, 1)
        for given, words in (
            ({}, '"model_path" is required'),
            ({"model_path": 4}, '"model_path" is 4; allowed is a text'),
            ({"model_path": "m", "num_threads": 1.5}, "is 1.5; allowed is a whole number from 0 to 256"),
            ({"model_path": "m", "num_threads": True}, "is True; allowed is a whole number"),
            ({"model_path": "m", "labels": "l"}, '"labels" is no attribute of tflite_cpu; there are model_path, label_path'),
        ):
            with self.subTest(given), self.assertRaises(ValueError) as caught:
                read_attributes(given)
            self.assertIn(words, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
