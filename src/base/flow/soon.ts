/** A value or a promise of it, so that code that every call runs can avoid the promise. */
export type Soon<Value> = Value | Promise<Value>

/** Passes the value to `proceed`, at once unless it is a promise. */
export function after<Value, Result>(
  value: Soon<Value>,
  proceed: (value: Value) => Soon<Result>,
): Soon<Result> {
  return value instanceof Promise ? value.then(proceed) : proceed(value)
}
