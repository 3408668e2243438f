/** A value that is here already, or comes later. Code that every call runs spares itself the promise. */
export type Soon<Value> = Value | Promise<Value>

/** Goes on at once where it can. */
export function after<Value, Result>(
  value: Soon<Value>,
  proceed: (value: Value) => Soon<Result>,
): Soon<Result> {
  return value instanceof Promise ? value.then(proceed) : proceed(value)
}
