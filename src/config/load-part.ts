import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Problem } from './problem.ts'

/** What one file gave: its value, or why it has none. */
export interface Part<Value> {
  readonly path: string | undefined
  readonly value: Value | undefined
  readonly problems: readonly Problem[]
  readonly warnings: readonly string[]
}

interface Interpreted<Value> {
  readonly value: Value | undefined
  readonly problems: readonly Problem[]
  readonly warnings?: readonly string[]
}

/** Reads one file; `interpret` is given undefined when there is none. */
export function loadPart<Value>(
  path: string | undefined,
  parse: (text: string) => unknown,
  interpret: (content: unknown, file: string) => Interpreted<Value>,
): Part<Value> {
  if (path === undefined) return { path, warnings: [], ...interpret(undefined, 'settings') }
  let content: unknown
  try {
    content = parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, '')) ?? null
  } catch (error) {
    return { path, value: undefined, warnings: [], problems: [unreadable(path, error)] }
  }
  return { path, warnings: [], ...interpret(content, path) }
}

class ParseError extends Error {
  override readonly name = 'ParseError'
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause)
    const offset = /position (\d+)/.exec(said)?.[1]
    const place = offset === undefined ? 'at its end' : `at ${lineAndColumn(text, Number(offset))}`
    throw new ParseError(`is not valid JSON: ${said} (${place})`, { cause })
  }
}

/** Loaded when there is a file to read: most people have none, and the parser costs 40 ms. */
export function parseYaml(text: string): unknown {
  const yaml: typeof import('yaml') = createRequire(import.meta.url)('yaml')
  try {
    return yaml.parse(text)
  } catch (cause) {
    // Below its first line the message draws the place in the file.
    const [said = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n')
    throw new ParseError(`is not valid YAML: ${said.replace(/:$/, '')}`, { cause })
  }
}

function lineAndColumn(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

function unreadable(file: string, error: unknown): Problem {
  if (error instanceof ParseError) return { file, path: '', message: error.message }
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return { file, path: '', message: 'file not found' }
  const said = error instanceof Error ? error.message : String(error)
  return { file, path: '', message: `cannot be read: ${said}` }
}
