import { readFileSync } from 'node:fs'
import { codeOf, messageOf } from '../../base/errors.ts'
import { readFoundFile } from '../../base/files/read-found-file.ts'
import type { Level } from '../paths.ts'
import { type Problem, isFatal } from '../problem.ts'
import { type LeftOut, withMistake } from '../trust/untrusted.ts'
import { ParseError } from './parse-text.ts'

/** One file of the configuration: its value, or why it has none. */
export interface Layer<Value> extends Interpreted<Value> {
  readonly level: Level
  /** The path of the file, or the name of a stored one. */
  readonly path: string
  /** The pushed version it comes from; undefined for a file. */
  readonly version?: number | undefined
  /** Set if nobody has trusted what the file says; then `value` has only what applies nevertheless. */
  readonly leftOut?: LeftOut | undefined
  /** The text in use; undefined if it is not used, or only in part. */
  readonly text?: string | undefined
  /** What the file says instead of `text`, where other content of it is trusted. */
  readonly waiting?: { readonly value: Value | undefined } | undefined
  readonly warnings: readonly string[]
}

export interface Interpreted<Value> {
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

export interface LayerReader<OfFile> {
  parse(text: string): unknown
  /** Interprets the content of one file. */
  interpret(content: unknown, file: string): Interpreted<OfFile>
  /** Returns what applies of an untrusted file; without this function, nothing applies. */
  harmless?(value: OfFile): OfFile | undefined
}

/** Why a file is left out, wholly or in part. */
export interface Untrusted {
  readonly leftOut: LeftOut
  /** Set if other content of the file is trusted; its text, if that is stored. */
  readonly trusted?: { readonly text?: string | undefined } | undefined
}

/** Returns undefined if the content of the file is trusted. */
export type CheckTrust = (path: string, text: string) => Untrusted | undefined

/** What a layer is loaded with. */
export interface LayerContext<OfFile> {
  readonly checkTrust: CheckTrust
  /** The layer before a reload. */
  readonly before: Layer<OfFile> | undefined
}

/** Loads one file; one that cannot be used keeps the content that it had before. */
export function loadLayer<OfFile>(
  source: LayerSource,
  reader: LayerReader<OfFile>,
  { checkTrust, before }: LayerContext<OfFile>,
): Layer<OfFile> {
  const { level, path, named } = source
  const isFound = level === 'project' && !named && source.text === undefined
  const read = readLayer(source, isFound, reader)
  // Trust is checked on the text that is used, as the file may change at any moment.
  const untrusted = isFound && read.text !== undefined ? checkTrust(path, read.text) : undefined
  if (untrusted === undefined)
    return read.problems.some(isFatal) ? keep(before, read, reader) : read
  const { leftOut, trusted } = untrusted
  if (trusted)
    return changedLayer(read, { leftOut, before, text: before?.text ?? trusted.text }, reader)
  // Mistakes in an untrusted file are ignored; then nothing of that file applies.
  const value = read.problems.length > 0 ? undefined : harmlessOf(read, reader)
  return { level, path, leftOut, value, problems: [], warnings: [] }
}

function readLayer<OfFile>(
  source: LayerSource,
  isFound: boolean,
  reader: LayerReader<OfFile>,
): Layer<OfFile> {
  const { level, path } = source
  try {
    const text = source.text ?? (isFound ? (readFoundFile(path) ?? '') : readFileSync(path, 'utf8'))
    return { level, path, text, warnings: [], ...interpretText(text, path, reader) }
  } catch (error) {
    return { level, path, value: undefined, problems: [unreadable(path, error)], warnings: [] }
  }
}

/** Returns the trusted content of a file that has changed; what it says now waits for trust. */
function changedLayer<OfFile>(
  read: Layer<OfFile>,
  {
    leftOut,
    before,
    text,
  }: { leftOut: LeftOut; before: Layer<OfFile> | undefined; text: string | undefined },
  reader: LayerReader<OfFile>,
): Layer<OfFile> {
  const { level, path } = read
  const mistake = read.problems.find(isFatal)
  const waiting = mistake ? before?.waiting : { value: read.value }
  const origin = {
    level,
    path,
    warnings: [],
    problems: [],
    waiting,
    leftOut: mistake ? withMistake(leftOut, mistake) : leftOut,
  }
  const trusted = text === undefined ? undefined : interpretText(text, path, reader)
  if (trusted && !trusted.problems.some(isFatal)) return { ...origin, ...trusted, text }
  if (!mistake) return { ...origin, value: harmlessOf(read, reader) }
  if (before) return { ...origin, value: before.value }
  // Nobody knows what the file denied before.
  return { ...origin, value: undefined, problems: reader.harmless ? [mistake] : [] }
}

function harmlessOf<OfFile>(
  { value }: Layer<OfFile>,
  reader: LayerReader<OfFile>,
): OfFile | undefined {
  return value === undefined ? undefined : reader.harmless?.(value)
}

/** Keeps the content that was in use before a file became bad, if there was any. */
function keep<OfFile>(
  before: Layer<OfFile> | undefined,
  bad: Layer<OfFile>,
  reader: LayerReader<OfFile>,
): Layer<OfFile> {
  return before?.text === undefined
    ? { ...bad, text: undefined }
    : { ...again(before, reader), problems: bad.problems }
}

/** Interprets a text once more, as variables may have changed. */
export function again<OfFile>(layer: Layer<OfFile>, reader: LayerReader<OfFile>): Layer<OfFile> {
  if (layer.text === undefined) return layer
  const fresh = interpretText(layer.text, layer.path, reader)
  return fresh.problems.some(isFatal) ? layer : { ...layer, ...fresh }
}

function interpretText<OfFile>(
  text: string,
  path: string,
  reader: LayerReader<OfFile>,
): Interpreted<OfFile> {
  try {
    return reader.interpret(reader.parse(text.replace(/^\uFEFF/, '')) ?? null, path)
  } catch (error) {
    return { value: undefined, problems: [unreadable(path, error)] }
  }
}

function unreadable(file: string, error: unknown): Problem {
  if (error instanceof ParseError) return { file, path: '', message: error.message }
  const code = codeOf(error)
  if (code === 'ENOENT') return { file, path: '', message: 'file not found' }
  const said = messageOf(error)
  return { file, path: '', message: `cannot be read: ${said}` }
}
