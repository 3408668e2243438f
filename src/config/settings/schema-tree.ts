import { z } from 'zod'

/** Unwraps defaults and optionality. */
export function bare(schema: z.core.$ZodType): z.core.$ZodType {
  let inner = schema
  while (
    inner instanceof z.ZodOptional ||
    inner instanceof z.ZodDefault ||
    inner instanceof z.ZodPrefault
  ) {
    inner = inner.unwrap()
  }
  return inner
}

/** Returns the keys of a schema at a path, for "did you mean". */
export function keysAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  let node: z.core.$ZodType | undefined = bare(schema)
  for (const key of path) {
    if (node instanceof z.ZodObject) node = node.shape[String(key)]
    else if (node instanceof z.ZodRecord) node = node.valueType
    else return []
    if (node === undefined) return []
    node = bare(node)
  }
  return node instanceof z.ZodObject ? Object.keys(node.shape) : []
}

export interface Leaf {
  readonly path: readonly string[]
  readonly schema: z.core.$ZodType
}

/** Returns every setting that is not a section, depth first, in the order of the schema. */
export function leaves(schema: z.core.$ZodType, path: readonly string[] = []): Leaf[] {
  const node = bare(schema)
  if (!(node instanceof z.ZodObject)) return [{ path, schema }]
  const shape: z.core.$ZodShape = node.shape
  return Object.entries(shape).flatMap(([key, child]) => leaves(child, [...path, key]))
}
