import { z } from 'zod'
import { decodeText } from '../decode-text.ts'
import { DocumentError } from '../document-error.ts'
import type { Block, KnowledgeDocument, RawDocument } from '../document.ts'
import { markdownBlocks } from './read-markdown.ts'
import { titleOf } from '../title-from-name.ts'

const lines = z.union([z.string(), z.array(z.string()).transform((parts) => parts.join(''))])

const notebook = z.object({
  metadata: z
    .object({
      title: z.string().optional(),
      language_info: z.object({ name: z.string() }).optional(),
      kernelspec: z.object({ language: z.string().optional() }).optional(),
    })
    .default({}),
  cells: z.array(
    z.object({
      cell_type: z.string(),
      source: lines,
      outputs: z
        .array(
          z.object({
            text: lines.optional(),
            data: z.record(z.string(), z.unknown()).optional(),
            ename: z.string().optional(),
            evalue: z.string().optional(),
          }),
        )
        .default([]),
    }),
  ),
})

type Cell = z.output<typeof notebook>['cells'][number]

export async function readNotebook({ name, bytes }: RawDocument): Promise<KnowledgeDocument> {
  const { metadata, cells } = parse(decodeText(bytes))
  const language = metadata.language_info?.name ?? metadata.kernelspec?.language
  const blocks: Block[] = []
  for (const cell of cells) {
    if (cell.cell_type === 'code') blocks.push(...codeCell(cell, language))
    else blocks.push(...(await markdownBlocks(cell.source)))
  }
  const title = titleOf(name, blocks, metadata.title)
  return { title, blocks, properties: language ? { language } : {} }
}

function codeCell(cell: Cell, language: string | undefined): Block[] {
  const blocks: Block[] = []
  if (cell.source.trim()) {
    blocks.push({ kind: 'code', text: cell.source, ...(language && { language }) })
  }
  for (const output of cell.outputs) {
    const plain = lines.safeParse(output.data?.['text/plain'])
    const failed = output.ename ? `${output.ename}: ${output.evalue ?? ''}` : ''
    const text = output.text ?? (plain.success ? plain.data : failed)
    if (text.trim()) blocks.push({ kind: 'code', text: text.trimEnd(), language: 'output' })
  }
  return blocks
}

function parse(text: string): z.output<typeof notebook> {
  try {
    return notebook.parse(JSON.parse(text))
  } catch (error) {
    throw new DocumentError(
      'malformed',
      'The file is not a Jupyter notebook of format 4',
      'Open it in Jupyter and save it again.',
      { cause: error },
    )
  }
}
