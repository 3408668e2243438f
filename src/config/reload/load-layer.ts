import { codeOf, messageOf } from '../../base/errors.ts'
import { readFoundFile } from '../../base/files/read-found-file.ts'
import type { Level } from '../paths.ts'
import { type Problem, isFatal } from '../problem.ts'
import type { NamedFiles } from '../trust/named-files.ts'
import { type LeftOut, withMistake } from '../trust/untrusted.ts'
import { ParseError } from '../parse-text.ts'

/** One file of the configuration: its value, or why it has none. */
export interface Layer<Value> extends ParsedLayer<Value> {
  readonly level: Level
  /** The path of the file, or the name of a stored one. */
  readonly path: string
  /** The pushed version it comes from; undefined for a file. */
  readonly version?: number | undefined
  /** Set if nobody has trusted what the file says; then `value` has only what applies nevertheless. */
  readonly leftOut?: LeftOut | undefined
  /** The text in use; undefined if it is not used, or only in part. */
  readonly text?: string | undefined
  /** The files that a person has trusted with it; undefined for any text of them. */
  readonly names?: NamedFiles | undefined
  /** What the file says instead of `text`, where other content of it is trusted. */
  readonly waiting?: { readonly value: Value | undefined } | undefined
  readonly warnings: readonly string[]
}

export interface ParsedLayer<Value> {
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
  interpret(content: unknown, file: string, names: NamedFiles | undefined): ParsedLayer<OfFile>
  /** Returns what applies of an untrusted file; without this function, nothing applies. */
  harmless?(value: OfFile): OfFile | undefined
}

/** Whether the content of a file is trusted. */
export type TrustCheck =
  | { readonly leftOut?: undefined; readonly names: NamedFiles | undefined }
  | UntrustedFile

/** Why a file is left out, wholly or in part. */
interface UntrustedFile {
  readonly leftOut: LeftOut
  /** Set if other content of the file is trusted; its text, if that is stored. */
  readonly trusted?: { readonly text?: string | undefined } | undefined
}

export type CheckTrust = (path: string, text: string) => TrustCheck

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
  let text
  try {
    text = source.text ?? readFoundFile(path)
    // Of a file that is merely found, no mistake is reported.
    if (text === undefined && isFound) text = ''
    if (text === undefined) throw new Error('it is not a plain file, or is huge')
  } catch (error) {
    const bad = { level, path, value: undefined, problems: [unreadable(path, error)], warnings: [] }
    return keep(before, bad, reader)
  }
  // Trust is checked on the text that is used, as the file may change at any moment.
  const check: TrustCheck = isFound ? checkTrust(path, text) : { names: undefined }
  if (check.leftOut) return untrusted(source, { text, check, before }, reader)
  const read = interpretLayer({ level, path, text, names: check.names }, reader)
  return read.problems.some(isFatal) ? keep(before, read, reader) : read
}

interface UntrustedText<OfFile> {
  readonly text: string
  readonly check: UntrustedFile
  readonly before: Layer<OfFile> | undefined
}

/** Returns what applies of a file whose content nobody has trusted. */
function untrusted<OfFile>(
  { level, path }: LayerSource,
  { text, check, before }: UntrustedText<OfFile>,
  reader: LayerReader<OfFile>,
): Layer<OfFile> {
  const { leftOut, trusted } = check
  if (trusted) {
    const read = interpretLayer({ level, path, text }, reader)
    const inUse = before?.text === undefined ? { text: trusted.text } : before
    return changedLayer(read, { leftOut, before, inUse }, reader)
  }
  const origin = { level, path, leftOut, problems: [], warnings: [] }
  if (!reader.harmless) return { ...origin, value: undefined }
  // Mistakes in an untrusted file are ignored; then nothing of that file applies.
  const read = interpretLayer({ level, path, text }, reader)
  return { ...origin, value: read.problems.length > 0 ? undefined : harmlessOf(read, reader) }
}

interface ChangedFile<OfFile> {
  readonly leftOut: LeftOut
  readonly before: Layer<OfFile> | undefined
  readonly inUse: Pick<Layer<OfFile>, 'text' | 'names'>
}

/** Returns the trusted content of a file that has changed; what it says now waits for trust. */
function changedLayer<OfFile>(
  read: Layer<OfFile>,
  { leftOut, before, inUse: { text, names } }: ChangedFile<OfFile>,
  reader: LayerReader<OfFile>,
): Layer<OfFile> {
  const { level, path } = read
  const mistake = read.problems.find(isFatal)
  const origin = {
    level,
    path,
    warnings: [],
    problems: [],
    waiting: mistake ? before?.waiting : { value: read.value },
    leftOut: mistake ? withMistake(leftOut) : leftOut,
  }
  const trusted = text === undefined ? undefined : interpretLayer({ ...read, text, names }, reader)
  if (trusted && !trusted.problems.some(isFatal))
    return { ...trusted, ...origin, problems: trusted.problems }
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

/** Interprets the text of a layer once more, as variables may have changed. */
export function again<OfFile>(layer: Layer<OfFile>, reader: LayerReader<OfFile>): Layer<OfFile> {
  const { text } = layer
  if (text === undefined) return layer
  const fresh = interpretLayer({ ...layer, text }, reader)
  return fresh.problems.some(isFatal) ? layer : { ...layer, ...fresh }
}

function interpretLayer<OfFile>(
  layer: Pick<Layer<OfFile>, 'level' | 'path' | 'names'> & { readonly text: string },
  reader: LayerReader<OfFile>,
): Layer<OfFile> {
  const { level, path, text, names } = layer
  const origin = { level, path, text, names, warnings: [] }
  try {
    const content = reader.parse(text.replace(/^\uFEFF/, '')) ?? null
    return { ...origin, ...reader.interpret(content, path, names) }
  } catch (error) {
    return { ...origin, value: undefined, problems: [unreadable(path, error)] }
  }
}

function unreadable(file: string, error: unknown): Problem {
  if (error instanceof ParseError) return { file, path: '', message: error.message }
  const code = codeOf(error)
  if (code === 'ENOENT') return { file, path: '', message: 'file not found' }
  const said = messageOf(error)
  return { file, path: '', message: `cannot be read: ${said}` }
}
