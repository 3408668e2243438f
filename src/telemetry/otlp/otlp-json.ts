/** The attributes of a span or metric; their JSON is written without building objects first. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

export function encodeAttributes(attributes: Attributes): string {
  let text = ''
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined)
      text += `${text === '' ? '' : ','}{"key":${JSON.stringify(key)},"value":${encodeValue(value)}}`
  return `[${text}]`
}

function encodeValue(value: string | number | boolean): string {
  if (typeof value === 'string') return `{"stringValue":${JSON.stringify(value)}}`
  if (typeof value === 'boolean') return `{"boolValue":${value}}`
  return Number.isInteger(value) ? `{"intValue":"${value}"}` : `{"doubleValue":${value}}`
}

/** Turns milliseconds with fractions into nanoseconds; OTLP JSON has 64-bit numbers as strings. */
export function encodeNanos(ms: number): string {
  return `"${Math.round(ms * 1000)}000"`
}
