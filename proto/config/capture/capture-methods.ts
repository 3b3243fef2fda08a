/** A parameter of a capture method, which `additional_params` gives. */
export interface CaptureParameter {
  /** `reader_name`. */
  readonly name: string;
  /** What a person is to write: `name of the analog`. */
  readonly what: string;
  /** Field of the request that carries it. */
  readonly field: string;
  readonly isRequired: boolean;
}

/** What data capture may ask of a resource, and by which call. */
export interface CaptureMethod {
  /** As configurations and stored data name it: `Readings`. Some are not names of calls. */
  readonly name: string;
  /** Call of the API's service. */
  readonly rpc: string;
  /** Readings are rows; each picture is one binary item. */
  readonly type: 'tabular' | 'binary';
  readonly parameters: readonly CaptureParameter[];
}

function tabular(name: string, rpc: string, ...parameters: readonly CaptureParameter[]): CaptureMethod {
  return { name, rpc, type: 'tabular', parameters };
}

function named(name: string, what: string, field: string): CaptureParameter {
  return { name, what, field, isRequired: true };
}

const readings = tabular('Readings', 'getReadings');
const doCommand = tabular('DoCommand', 'doCommand', {
  name: 'docommand_input',
  what: 'the command, an object',
  field: 'command',
  isRequired: true,
});

/**
 * By API. The names are those of the public ecosystem, so that the same queries find data captured here and
 * there; `Ticks` is ours.
 */
const methods: Readonly<Record<string, readonly CaptureMethod[]>> = {
  'core:component:board': [
    tabular('Analogs', 'readAnalogReader', named('reader_name', 'name of the analog', 'analogReaderName')),
    tabular('Gpios', 'getGPIO', named('pin_name', 'name of the pin', 'pin')),
    tabular(
      'Ticks',
      'getDigitalInterruptValue',
      named('interrupt_name', 'name of the interrupt', 'digitalInterruptName'),
    ),
  ],
  'core:component:camera': [
    { name: 'GetImages', rpc: 'getImages', type: 'binary', parameters: [] },
    { name: 'ReadImage', rpc: 'getImages', type: 'binary', parameters: [] },
  ],
  'core:component:encoder': [tabular('TicksCount', 'getPosition')],
  'core:component:motor': [tabular('Position', 'getPosition'), tabular('IsPowered', 'isPowered')],
  'core:component:power_sensor': [
    tabular('Voltage', 'getVoltage'),
    tabular('Current', 'getCurrent'),
    tabular('Power', 'getPower'),
    readings,
  ],
  'core:component:sensor': [readings],
  'core:component:servo': [tabular('Position', 'getPosition')],
  'core:component:switch': [tabular('Position', 'getPosition')],
  'core:component:generic': [],
  'core:service:generic': [],
};

/** What can be captured of an API's resources. Empty for an unknown API. */
export function captureMethodsOf(api: string): readonly CaptureMethod[] {
  const own = methods[api];
  return own === undefined ? [] : [...own, doCommand];
}
