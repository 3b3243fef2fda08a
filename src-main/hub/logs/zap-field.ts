/** A field of a log entry as the public ecosystem sends it: a `zapcore.Field` of Go as JSON. */
export type ZapField = Readonly<Record<string, unknown>>;

/** FieldType, by number (go.uber.org/zap, zapcore/field.go): it says which of the other keys holds the value. */
const ZapType = {
  bool: 4,
  duration: 8,
  float64: 9,
  float32: 10,
  int64: 11,
  string: 15,
  time: 16,
  reflect: 23,
} as const;

/** A field with any JSON value, as readers of the public ecosystem expect it. */
export function toZapField(key: string, value: unknown): ZapField {
  const field = { Key: key, Type: ZapType.reflect, Integer: 0, String: '', Interface: null };
  if (typeof value === 'string') return { ...field, Type: ZapType.string, String: value };
  if (typeof value === 'boolean') return { ...field, Type: ZapType.bool, Integer: value ? 1 : 0 };
  if (typeof value !== 'number') return { ...field, Interface: value ?? null };
  if (Number.isSafeInteger(value)) return { ...field, Type: ZapType.int64, Integer: value };
  // As text: Go keeps the 64 bits of a float in Integer, which a JavaScript number cannot hold.
  return { ...field, Type: ZapType.float64, String: String(value) };
}

/**
 * The name and the value of a field that a machine of the public ecosystem sent. Durations become seconds as Go writes
 * them (`1.5s`), times ISO 8601. Of a field with an unknown type, the value is whatever the field contains.
 */
export function fromZapField(field: ZapField): [key: string, value: unknown] {
  const { Key: key, Type: type, Integer: integer, String: text, Interface: other } = field;
  const name = typeof key === 'string' ? key : '';
  const number = typeof integer === 'number' ? integer : 0;
  const anyValue = text || (other ?? integer ?? '');
  switch (type) {
    case ZapType.bool:
      return [name, number === 1];
    case ZapType.duration:
      return [name, `${number / 1e9}s`];
    case ZapType.float64:
      return [name, typeof text === 'string' && text !== '' ? Number(text) : anyValue];
    case ZapType.float32:
      return [name, floatOfBits(number)];
    case ZapType.time:
      return [name, isoTimeOf(number) ?? anyValue];
    case ZapType.string:
      return [name, typeof text === 'string' ? text : ''];
    case ZapType.reflect:
      return [name, other ?? null];
    default:
      return [name, anyValue];
  }
}

function floatOfBits(bits: number): number {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(bits >>> 0);
  return bytes.readFloatBE();
}

function isoTimeOf(ns: number): string | undefined {
  const time = new Date(ns / 1e6);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
