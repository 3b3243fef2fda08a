import { onnxFile, type OnnxConstant, type OnnxNode } from '../../onnx/testing/onnx-file.ts';

/** Larger than of any background of the fake camera, smaller than of any of its shapes: the largest colour less the smallest. */
const SATURATION = 0.25;
/** TensorProto.DataType of onnx.proto3. */
const FLOAT = 1;

/**
 * A model file that finds the shapes of the fake camera, for tests that look at what it finds: nobody trained it, it looks
 * for colour in each lane of the picture. Takes floats from 0 to 1, colours first; its boxes are in pixels.
 * @param lanes how many shapes there are; divides the height
 */
export function shapeDetector(width: number, height: number, lanes: number): Uint8Array {
  const parts = Array.from({ length: lanes }, (_, lane) => laneNodes(lane));
  return onnxFile({
    inputs: [{ name: 'image', type: 'float32', shape: [1, 3, height, width] }],
    outputs: [
      { name: 'location', type: 'float32', shape: [1, lanes, 4] },
      { name: 'category', type: 'float32', shape: [1, lanes] },
      { name: 'score', type: 'float32', shape: [1, lanes] },
    ],
    constants: [
      { name: 'threshold', shape: [1], floats: [SATURATION] },
      { name: 'one', shape: [1, 1], floats: [1] },
      { name: 'boxes', shape: [3], integers: [1, lanes, 4] },
      { name: 'labels', shape: [1, lanes], floats: Array<number>(lanes).fill(0) },
      { name: 'sure', shape: [1, lanes], floats: Array<number>(lanes).fill(0.875) },
      ...parts.map((_, lane): OnnxConstant => ({
        name: `from${lane}`,
        shape: [1, 1],
        floats: [(lane * height) / lanes],
      })),
    ],
    nodes: [
      { op: 'ReduceMax', inputs: ['image'], outputs: ['most'], attributes: { axes: [1], keepdims: 0 } },
      { op: 'ReduceMin', inputs: ['image'], outputs: ['least'], attributes: { axes: [1], keepdims: 0 } },
      { op: 'Sub', inputs: ['most', 'least'], outputs: ['saturation'] },
      { op: 'Greater', inputs: ['saturation', 'threshold'], outputs: ['isShape'] },
      { op: 'Cast', inputs: ['isShape'], outputs: ['mask'], attributes: { to: FLOAT } },
      { op: 'Split', inputs: ['mask'], outputs: parts.map((_, lane) => `lane${lane}`), attributes: { axis: 1 } },
      ...parts.flat(),
      { op: 'Concat', inputs: parts.map((_, lane) => `box${lane}`), outputs: ['flat'], attributes: { axis: 1 } },
      { op: 'Reshape', inputs: ['flat', 'boxes'], outputs: ['location'] },
      { op: 'Identity', inputs: ['labels'], outputs: ['category'] },
      { op: 'Identity', inputs: ['sure'], outputs: ['score'] },
    ],
  });
}

/** The first and the last row and column of a lane in which there is colour. */
function laneNodes(lane: number): readonly OnnxNode[] {
  const named = (name: string): string => `${name}${lane}`;
  const end = (of: 'rows' | 'columns', name: string, isLast: boolean): readonly OnnxNode[] => [
    {
      op: 'ArgMax',
      inputs: [named(of)],
      outputs: [named(`${name}At`)],
      attributes: { axis: 1, keepdims: 1, select_last_index: isLast ? 1 : 0 },
    },
    { op: 'Cast', inputs: [named(`${name}At`)], outputs: [named(`${name}Float`)], attributes: { to: FLOAT } },
  ];
  const add = (from: string, what: string, to: string): OnnxNode => ({
    ...{ op: 'Add', inputs: [named(from), what], outputs: [named(to)] },
  });
  return [
    { op: 'ReduceMax', inputs: [named('lane')], outputs: [named('rows')], attributes: { axes: [2], keepdims: 0 } },
    { op: 'ReduceMax', inputs: [named('lane')], outputs: [named('columns')], attributes: { axes: [1], keepdims: 0 } },
    ...end('rows', 'top', false),
    ...end('rows', 'bottom', true),
    ...end('columns', 'left', false),
    ...end('columns', 'right', true),
    add('topFloat', named('from'), 'top'),
    add('bottomFloat', named('from'), 'lastRow'),
    add('lastRow', 'one', 'bottom'),
    add('rightFloat', 'one', 'right'),
    {
      op: 'Concat',
      inputs: ['top', 'leftFloat', 'bottom', 'right'].map(named),
      outputs: [named('box')],
      attributes: { axis: 1 },
    },
  ];
}
