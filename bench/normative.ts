import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import type { ChunkPart } from '../src/builtins/knowledge/chunks/chunk.ts'
import { createDocumentReader } from '../src/builtins/knowledge/ingest/document-reader.ts'
import { ingestOptions } from '../src/builtins/knowledge/ingest/ingest-options.ts'
import { countTokens } from '../src/shaping/tokens.ts'
import { packageFile } from './clauses/debian-manuals.ts'
import { rfcTexts } from './knowledge/rfc-texts.ts'
import { round } from './support/numbers.ts'

/** Measures precision and recall of "this clause is normative" against clauses labelled by hand. */
const labels = z.array(
  z.object({
    document: z.string(),
    normative: z.array(z.string()),
    informative: z.array(z.string()),
  }),
)
const reader = createDocumentReader(countTokens)
const folder = join(import.meta.dirname, 'normative')

interface Counts {
  both: number
  judged: number
  binding: number
  labelled: number
}

const byGroup = new Map<string, Counts>()
for (const { document, normative, informative } of labels.parse(
  parse(await readFile(join(folder, 'labels.yml'), 'utf8')),
)) {
  const find = finder(await partsOf(document))
  const counts = groupCounts(document.startsWith('rfc') ? 'rfc' : document)
  for (const [names, truth] of [
    [normative, true],
    [informative, false],
  ] as const) {
    for (const name of names) {
      const judged = find(name)
      counts.labelled += 1
      if (truth) counts.binding += 1
      if (judged) counts.judged += 1
      if (judged && truth) counts.both += 1
      if (judged !== truth) process.stderr.write(`${document} ${name}: judged ${judged}\n`)
    }
  }
}
const result = Object.fromEntries(
  [...byGroup].map(([group, { both, judged, binding, labelled }]) => [
    group,
    { labelled, precision: round(both / judged, 3), recall: round(both / binding, 3) },
  ]),
)
process.stdout.write(`RESULT ${JSON.stringify(result)}\n`)

function groupCounts(group: string): Counts {
  const counts = byGroup.get(group) ?? { both: 0, judged: 0, binding: 0, labelled: 0 }
  byGroup.set(group, counts)
  return counts
}

type Part = ChunkPart & { readonly text: string }

/** Whether any passage of the clause is normative; throws if the labels name an unknown clause. */
function finder(parts: readonly Part[]): (name: string) => boolean {
  return (name) => {
    const [title = '', start = ''] = name.split(' | ').map(plain)
    const own = parts.filter(
      (part) =>
        plain(part.title) === title &&
        plain(part.text)
          .slice(title.length + 1)
          .startsWith(start),
    )
    if (own.length === 0) throw new Error(`No clause is called ${name}`)
    return own.some(({ normative }) => normative === true)
  }
}

function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

async function partsOf(name: string): Promise<Part[]> {
  const { chunks } = await reader.read({
    ...(await fileOf(name)),
    location: name,
    options: ingestOptions.parse({}),
  })
  return chunks.flatMap(({ content, parts, leadLength }) =>
    parts.map((part, at) => ({
      ...part,
      text: content.slice(Math.max(part.offset, leadLength), parts[at + 1]?.offset),
    })),
  )
}

async function fileOf(name: string): Promise<{ name: string; bytes: Uint8Array }> {
  if (name === 'debian-policy') {
    return { name: 'p.epub', bytes: await packageFile(name, 'doc/debian-policy/policy.epub') }
  }
  if (name === 'fhs') {
    const bytes = await packageFile('debian-policy', 'doc/debian-policy/fhs/fhs-3.0.html')
    return { name: 'fhs.html', bytes }
  }
  if (name.startsWith('rfc')) {
    return { name: `${name}.txt`, bytes: await readFile(join(await rfcTexts(), `${name}.txt`)) }
  }
  return { name: `${name}.md`, bytes: await readFile(join(folder, `${name}.md`)) }
}
