import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { messageOf, codeOf } from '../../base/errors.ts'
import type { Level } from '../paths.ts'
import { type Problem, isFatal } from '../problem.ts'
import { type LeftOut, describeLeftOut } from '../trust/untrusted.ts'

/** One file of the configuration, read by itself: its value, or why it has none. */
export interface Layer<Value> extends Interpreted<Value> {
  readonly level: Level
  /** The file, or how a stored one is called. */
  readonly path: string
  /** Which pushed version it comes from; undefined for a file. */
  readonly version?: number | undefined
  /** Set when nobody has trusted the file: its value is what it may say nevertheless. */
  readonly leftOut?: LeftOut | undefined
  readonly warnings: readonly string[]
}

/** What the files of one kind give together: the merged value, or why there is none. */
export interface Part<Value, OfFile = Value> extends Interpreted<Value> {
  /** Weakest first. */
  readonly layers: readonly Layer<OfFile>[]
  /** The strongest of its files. */
  readonly path: string | undefined
  /** Files of the working folder that nobody has trusted. */
  readonly leftOut: readonly LeftOut[]
  /** Which pushed version it comes from, also when that has no such file. */
  readonly version?: number | undefined
  readonly warnings: readonly string[]
}

interface Interpreted<Value> {
  readonly value: Value | undefined
  readonly problems: readonly Problem[]
  readonly warnings?: readonly string[]
}

/** Where the text of a layer is: in a file, or in a pushed version that has it in memory. */
export interface LayerSource {
  readonly level: Level
  readonly path: string
  readonly named?: boolean | undefined
  readonly text?: string | undefined
}

/** The sources of one part, weakest first. */
export interface PartSource {
  readonly layers: readonly LayerSource[]
  readonly version?: number | undefined
}

export interface PartReader<Value, OfFile> {
  parse(text: string): unknown
  /** The content of one file. */
  interpret(content: unknown, file: string): Interpreted<OfFile>
  /** What of it counts when nobody has trusted the file; without this it is not even interpreted. */
  harmless?(value: OfFile): OfFile | undefined
  /** Puts the files together, weakest first; there may be none. */
  merge(layers: readonly Layer<OfFile>[]): Interpreted<Value>
}

/** Says why a file is left out, wholly or in part; undefined for one that is trusted. */
export type CheckTrust = (path: string, text: string) => LeftOut | undefined

export function loadPart<Value, OfFile>(
  { layers: sources, version }: PartSource,
  reader: PartReader<Value, OfFile>,
  checkTrust: CheckTrust,
): Part<Value, OfFile> {
  const origin = version === undefined ? {} : { version }
  const read = sources.map((source) => ({ ...loadLayer(source, reader, checkTrust), ...origin }))
  const leftOut = read.flatMap((layer) => layer.leftOut ?? [])
  const layers = read.filter((layer) => layer.leftOut === undefined || layer.value !== undefined)
  const problems = layers.flatMap((layer) => layer.problems)
  const warnings = [...leftOut.map(describeLeftOut), ...layers.flatMap((layer) => layer.warnings)]
  const part = { ...origin, layers, leftOut, path: layers.at(-1)?.path }
  if (problems.some(isFatal)) return { ...part, value: undefined, problems, warnings }
  const merged = reader.merge(layers)
  return {
    ...part,
    ...merged,
    problems: [...problems, ...merged.problems],
    warnings: [...warnings, ...(merged.warnings ?? [])],
  }
}

function loadLayer<OfFile>(
  source: LayerSource,
  reader: Pick<PartReader<unknown, OfFile>, 'parse' | 'interpret' | 'harmless'>,
  checkTrust: CheckTrust,
): Layer<OfFile> {
  const { level, path, named } = source
  const origin = { level, path, warnings: [] }
  try {
    // Trust is in the very text that is used: the file may be another one a moment later.
    const text = source.text ?? readFileSync(path, 'utf8')
    const isFound = level === 'project' && !named && source.text === undefined
    const leftOut = isFound ? checkTrust(path, text) : undefined
    if (leftOut !== undefined) {
      return { ...origin, leftOut, value: harmlessIn(text, path, reader), problems: [] }
    }
    return { ...origin, ...reader.interpret(contentOf(text, reader), path) }
  } catch (error) {
    return { ...origin, value: undefined, problems: [unreadable(path, error)] }
  }
}

/** A mistake in a file that nobody trusts is not reported: nothing of that file counts. */
function harmlessIn<OfFile>(
  text: string,
  path: string,
  reader: Pick<PartReader<unknown, OfFile>, 'parse' | 'interpret' | 'harmless'>,
): OfFile | undefined {
  if (!reader.harmless) return undefined
  try {
    const { value, problems } = reader.interpret(contentOf(text, reader), path)
    return value === undefined || problems.length > 0 ? undefined : reader.harmless?.(value)
  } catch {
    return undefined
  }
}

function contentOf(text: string, reader: Pick<PartReader<unknown, unknown>, 'parse'>): unknown {
  return reader.parse(text.replace(/^\uFEFF/, '')) ?? null
}

class ParseError extends Error {
  override readonly name = 'ParseError'
}

/** JSON, with the comments and trailing commas that editors of such files accept. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    return parseWithComments(text, cause)
  }
}

/** Its parser is loaded only for a file that is not plain JSON: every start pays for modules. */
function parseWithComments(text: string, cause: unknown): unknown {
  const jsonc: typeof import('jsonc-parser') = createRequire(import.meta.url)('jsonc-parser')
  const errors: import('jsonc-parser').ParseError[] = []
  const value: unknown = jsonc.parse(text, errors, { allowTrailingComma: true })
  if (errors.length === 0 && text.trim() !== '') return value
  const said = messageOf(cause)
  const offset = errors[0]?.offset ?? /position (\d+)/.exec(said)?.[1]
  const place = offset === undefined ? 'at its end' : `at ${lineAndColumn(text, Number(offset))}`
  throw new ParseError(`is not valid JSON: ${said} (${place})`, { cause })
}

/** Loaded when there is a file to read: most people have none, and the parser costs 40 ms. */
export function parseYaml(text: string): unknown {
  const yaml: typeof import('yaml') = createRequire(import.meta.url)('yaml')
  try {
    return yaml.parse(text)
  } catch (cause) {
    // Below its first line the message draws the place in the file.
    const [said = ''] = messageOf(cause).split('\n')
    throw new ParseError(`is not valid YAML: ${said.replace(/:$/, '')}`, { cause })
  }
}

function lineAndColumn(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

function unreadable(file: string, error: unknown): Problem {
  if (error instanceof ParseError) return { file, path: '', message: error.message }
  const code = codeOf(error)
  if (code === 'ENOENT') return { file, path: '', message: 'file not found' }
  const said = messageOf(error)
  return { file, path: '', message: `cannot be read: ${said}` }
}
