import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { parseDocument } from './document.ts'
import { followDocument } from './follow-document.ts'

const ROOT = resolve(import.meta.dirname, '../..')
/** `UPDATE_DOCS=1` writes what commands print into the documents, wherever they say something else. */
const UPDATE = process.env['UPDATE_DOCS'] === '1'

const guides = readdirSync(join(ROOT, 'docs/guides')).filter((name) => name.endsWith('.md'))
const documents = ['README.md', ...guides.map((name) => `docs/guides/${name}`)]

it.each(documents)('%s: every command does what it says', { timeout: 180_000 }, async (path) => {
  const file = join(ROOT, path)
  const { wrong, corrected } = await followDocument(readFileSync(file, 'utf8'))
  if (UPDATE) writeFileSync(file, corrected)
  expect(wrong).toEqual([])
})

it.each(documents)('%s: what is not run says why', (path) => {
  const { unrun } = parseDocument(readFileSync(join(ROOT, path), 'utf8'))
  expect(unrun.filter(({ reason }) => reason === undefined)).toEqual([])
})
