import type { z } from 'zod'

/**
 * Options for `parse`: a process reads its configuration only a few times, which is not worth
 * compiling every object of the schema, as zod would do first.
 */
export const READ_ONCE = { jitless: true } as const

const KINDS: Record<string, string> = {
  array: 'an array',
  object: 'an object',
  record: 'an object',
  string: 'a string',
  boolean: 'a boolean',
  number: 'a number',
  int: 'a whole number',
}

export function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Describes a zod issue in the wording existing tests expect: `must be an array, got string`. */
export function describeIssue(issue: z.core.$ZodIssue, root: unknown): string {
  const found = valueAt(root, issue.path)
  switch (issue.code) {
    case 'invalid_type':
      return found === undefined
        ? `is required and must be ${KINDS[issue.expected] ?? issue.expected}`
        : `must be ${KINDS[issue.expected] ?? issue.expected}, got ${typeName(found)}`
    case 'invalid_value':
      return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}, got ${JSON.stringify(found)}`
    case 'invalid_union': {
      const expected = issue.errors.flatMap((branch) =>
        branch.map((part) => describeIssue({ ...part, path: issue.path }, root)),
      )
      return expected.join(', or ')
    }
    default:
      return lowerFirst(issue.message)
  }
}

export function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (node, key) => (typeof node === 'object' && node !== null ? Reflect.get(node, key) : undefined),
    root,
  )
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
