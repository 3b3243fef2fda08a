/** A field of a log entry as the public ecosystem sends it: a `zapcore.Field` of Go as JSON. */
export type ZapField = Readonly<Record<string, unknown>>;

/** FieldType, by number (go.uber.org/zap, zapcore/field.go): the readers of a field look where its type says. */
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

/** A field of ours, any JSON, for readers of the public ecosystem. */
export function zapField(key: string, value: unknown): ZapField {
  const field = { Key: key, Type: ZapType.reflect, Integer: 0, String: '', Interface: null };
  if (typeof value === 'string') return { ...field, Type: ZapType.string, String: value };
  if (typeof value === 'boolean') return { ...field, Type: ZapType.bool, Integer: value ? 1 : 0 };
  if (typeof value !== 'number') return { ...field, Interface: value ?? null };
  if (Number.isSafeInteger(value)) return { ...field, Type: ZapType.int64, Integer: value };
  // As text, because Go keeps the bits of a float in Integer, which no double holds.
  return { ...field, Type: ZapType.float64, String: String(value) };
}

/**
 * The name and the value of a field that a machine of the public ecosystem sent: durations in words as Go's seconds
 * (`1.5s`), times in ISO 8601. A field without a type has what it has.
 */
export function ofZapField(field: ZapField): [key: string, value: unknown] {
  const { Key: key, Type: type, Integer: integer, String: text, Interface: other } = field;
  const name = typeof key === 'string' ? key : '';
  const number = typeof integer === 'number' ? integer : 0;
  const whatever = text || (other ?? integer ?? '');
  switch (type) {
    case ZapType.bool:
      return [name, number === 1];
    case ZapType.duration:
      return [name, `${number / 1e9}s`];
    case ZapType.float64:
      return [name, typeof text === 'string' && text !== '' ? Number(text) : whatever];
    case ZapType.float32:
      return [name, floatOf(number)];
    case ZapType.time:
      return [name, timeOf(number) ?? whatever];
    case ZapType.string:
      return [name, typeof text === 'string' ? text : ''];
    case ZapType.reflect:
      return [name, other ?? null];
    default:
      return [name, whatever];
  }
}

function floatOf(bits: number): number {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(bits >>> 0);
  return bytes.readFloatBE();
}

function timeOf(ns: number): string | undefined {
  const time = new Date(ns / 1e6);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
