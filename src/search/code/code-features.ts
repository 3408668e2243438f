import type { CodeQuery } from './code-query.ts'
import type { FileRole } from './file-role.ts'
import type { PathWords } from './path-words.ts'

/** The features of a file with respect to a query; each is in 0..1, or is a small count. */
const CODE_FEATURES = [
  /** Its best chunk relative to the best of all: by score, and by rank. */
  'best',
  'rank',
  /** Its summed chunk scores relative to the highest sum; how many of its chunks are good. */
  'mass',
  'spread',
  /** How much of the query is in the names it defines; in its text and path. */
  'named',
  'covered',
  /** How much of the query is in its name, and how much of its name is in the query. */
  'nameRecall',
  'namePrecision',
  'folderRecall',
  'pathRecall',
  'compound',
  /**
   * Whether it defines what the query names; what the query's words spell out; whether the query
   * names the file itself.
   */
  'defines',
  'spells',
  'eponym',
  /** How central it is in the import graph. */
  'central',
  /** How near it is in meaning: its nearest chunk, the mean of three, all its names. */
  'nearest',
  'meaning',
  'called',
  /**
   * Its nearest few lines; how much of the query its words cover one by one. Only set for the first
   * files.
   */
  'passage',
  'wordwise',
  /** Whether it is part of another file, by its name: `cart.json.ts` of `cart.ts`. */
  'partial',
  /** Whether it is in a package beside the main one, and the query does not name that package. */
  'beside',
  'depth',
  'test',
  'example',
  'legacy',
  /** Not written here: vendored, or generated. */
  'foreign',
  'declaration',
  'package',
  'module',
  'prose',
  'data',
] as const

export type CodeFeature = (typeof CODE_FEATURES)[number]
export type CodeFeatures = Record<CodeFeature, number>

/** In a long question, some word matches the name of a file by chance. */
const SHORT_QUERY = 6

/** Returns the features of the path; `information` is the share of the query per stem. */
export function pathFeatures(
  query: CodeQuery,
  words: PathWords,
  information: readonly number[],
): Pick<
  CodeFeatures,
  'nameRecall' | 'namePrecision' | 'folderRecall' | 'pathRecall' | 'compound' | 'eponym' | 'depth'
> {
  let inName = 0
  let inFolders = 0
  let inPath = 0
  for (const [position, word] of query.stems.entries()) {
    const name = match(word, words.nameStems)
    const folder = match(word, words.folderStems)
    inName += name
    inFolders += folder
    inPath += Math.max(name, folder) * (information[position] ?? 0)
  }
  const count = Math.max(1, query.stems.length)
  const brevity = Math.min(1, SHORT_QUERY / count)
  return {
    nameRecall: (brevity * inName) / count,
    namePrecision: brevity * share(words.nameStems, query.stems),
    folderRecall: (brevity * inFolders) / count,
    pathRecall: inPath,
    compound: words.nameStems.some((name) => isCompound(name, query.stems)) ? brevity : 0,
    eponym: query.names.some((name) => name.toLowerCase() === words.name) ? brevity : 0,
    depth: words.depth / 8,
  }
}

const NO_ROLE: Pick<CodeFeatures, Exclude<FileRole, 'source'>> = {
  test: 0,
  example: 0,
  legacy: 0,
  foreign: 0,
  declaration: 0,
  package: 0,
  module: 0,
  prose: 0,
  data: 0,
}

export function roleFeatures(
  role: FileRole,
  weight: number,
): Pick<CodeFeatures, Exclude<FileRole, 'source'>> {
  return role === 'source' ? NO_ROLE : { ...NO_ROLE, [role]: weight }
}

/** Returns the share of wanted words that are given; a common prefix is most of a word. */
function share(wanted: readonly string[], given: readonly string[]): number {
  if (wanted.length === 0) return 0
  return wanted.reduce((sum, word) => sum + match(word, given), 0) / wanted.length
}

function match(word: string, given: readonly string[]): number {
  if (given.includes(word)) return 1
  return given.some((other) => sharesBeginning(word, other)) ? 0.8 : 0
}

function sharesBeginning(one: string, other: string): boolean {
  if (Math.min(one.length, other.length) < 4) return false
  return one.startsWith(other) || other.startsWith(one)
}

/** `urlmap` is made of two words of "URL path mapping". */
function isCompound(name: string, stems: readonly string[]): boolean {
  return stems.some((first) => {
    const rest = name.slice(first.length)
    if (first.length < 3 || rest.length < 3 || !name.startsWith(first)) return false
    return stems.some(
      (second) =>
        second !== first &&
        second.length >= 3 &&
        (second.startsWith(rest) || rest.startsWith(second)),
    )
  })
}
