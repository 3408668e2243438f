import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { messageOf, codeOf } from '../../base/errors.ts'
import { readFoundFile } from '../../base/files/read-found-file.ts'
import type { Level } from '../paths.ts'
import { type Problem, isFatal } from '../problem.ts'
import { type LeftOut, describeLeftOut } from '../trust/untrusted.ts'

/** One file of the configuration: its value, or why it has none. */
export interface Layer<Value> extends Interpreted<Value> {
  readonly level: Level
  /** The path of the file, or the name of a stored one. */
  readonly path: string
  /** The pushed version it comes from; undefined for a file. */
  readonly version?: number | undefined
  /** Set if nobody has trusted the file; then `value` has only what applies nevertheless. */
  readonly leftOut?: LeftOut | undefined
  readonly warnings: readonly string[]
}

/** The result of all files of one kind: the merged value, or why there is none. */
export interface Part<Value, OfFile = Value> extends Interpreted<Value> {
  /** Weakest first. */
  readonly layers: readonly Layer<OfFile>[]
  /** The strongest of its files. */
  readonly path: string | undefined
  /** Files of the working folder that nobody has trusted. */
  readonly leftOut: readonly LeftOut[]
  /** The pushed version it comes from, even if that has no such file. */
  readonly version?: number | undefined
  readonly warnings: readonly string[]
}

interface Interpreted<Value> {
  readonly value: Value | undefined
  readonly problems: readonly Problem[]
  readonly warnings?: readonly string[]
}

/** Where the text of a layer is: in a file, or in memory for a pushed version. */
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
  /** Interprets the content of one file. */
  interpret(content: unknown, file: string): Interpreted<OfFile>
  /** Returns what applies of an untrusted file; without this function, nothing applies. */
  harmless?(value: OfFile): OfFile | undefined
  /** Merges the files, weakest first; there may be none. */
  merge(layers: readonly Layer<OfFile>[]): Interpreted<Value>
}

/** Returns why a file is left out, wholly or in part; undefined if it is trusted. */
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
    // Trust is checked on the text that is used, as the file may change at any moment.
    const isFound = level === 'project' && !named && source.text === undefined
    const text = source.text ?? (isFound ? (readFoundFile(path) ?? '') : readFileSync(path, 'utf8'))
    const leftOut = isFound ? checkTrust(path, text) : undefined
    if (leftOut !== undefined) {
      return { ...origin, leftOut, value: harmlessIn(text, path, reader), problems: [] }
    }
    return { ...origin, ...reader.interpret(contentOf(text, reader), path) }
  } catch (error) {
    return { ...origin, value: undefined, problems: [unreadable(path, error)] }
  }
}

/** Ignores mistakes in an untrusted file; then nothing of that file applies. */
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

/** Parses JSON with comments and trailing commas, which editors accept in such files. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    return parseWithComments(text, cause)
  }
}

/** Loads its parser only for a file that is not plain JSON, to keep the start fast. */
function parseWithComments(text: string, cause: unknown): unknown {
  const jsonc: typeof import('jsonc-parser') = createRequire(import.meta.url)('jsonc-parser')
  const errors: import('jsonc-parser').ParseError[] = []
  const value: unknown = jsonc.parse(text, errors, { allowTrailingComma: true })
  if (errors.length === 0 && text.trim() !== '') return value
  // The message may quote the text around the mistake, in which there may be secrets.
  const said = messageOf(cause).replace(/, (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/s, '')
  const offset = errors[0]?.offset ?? /position (\d+)/.exec(said)?.[1]
  const place = offset === undefined ? 'at its end' : `at ${lineAndColumn(text, Number(offset))}`
  throw new ParseError(`is not valid JSON: ${said} (${place})`, { cause })
}

/** Loads the parser, which takes 40 ms, only now, as most people have no YAML file. */
export function parseYaml(text: string): unknown {
  const yaml: typeof import('yaml') = createRequire(import.meta.url)('yaml')
  try {
    return yaml.parse(text)
  } catch (cause) {
    // The message shows an excerpt of the file after its first line.
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
