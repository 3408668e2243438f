import { expect, it } from 'vitest'
import type { Tool } from '../../gateway/upstream.ts'
import { createBuiltinEmbedder } from '../../search/embed/builtin-embedder.ts'
import { ToolVocabulary } from './tool-vocabulary.ts'

function aTool(name: string, description: string): Tool {
  return { server: 'browser', name, definition: { name, description }, readOnly: true }
}

const TOOLS = {
  navigate: aTool('browser_navigate', 'Navigate to a URL'),
  back: aTool('browser_navigate_back', 'Navigate to the previous URL'),
  screenshot: aTool('take_screenshot', 'Capture an image of what is shown'),
  resize: aTool('resize_window', 'Change width and height of the window'),
}

function aVocabulary(tools: Readonly<Record<string, Tool>> = TOOLS): ToolVocabulary {
  const vocabulary = new ToolVocabulary(createBuiltinEmbedder().words)
  for (const [id, tool] of Object.entries(tools)) vocabulary.set(id, tool)
  return vocabulary
}

it('finds less of a name in a request when the name says more than was asked', () => {
  const near = aVocabulary().near('navigate the browser to example.com')
  expect(near('navigate')?.named).toBeCloseTo(1)
  expect(near('back')?.named).toBeLessThan(0.8)
  expect(aVocabulary().near('navigate back in the browser')('back')?.named).toBeCloseTo(1)
})

it('lets a word of a request find its like in a tool, by vector or as a synonym', () => {
  const pictures = aVocabulary().near('make a picture')
  expect(pictures('screenshot')?.said).toBeGreaterThan((pictures('resize')?.said ?? 1) + 0.2)
  // Their vectors have little in common.
  const visits = aVocabulary().near('visit a site')
  expect(visits('navigate')?.said).toBeGreaterThan((visits('resize')?.said ?? 1) + 0.2)
})

it('knows what the technical words of a name mean', () => {
  const near = aVocabulary({
    ...TOOLS,
    fork: aTool('fork_repository', 'Fork it'),
    merge: aTool('merge_repository', 'Merge it'),
  }).near('copy it to my account')
  expect(near('fork')?.said).toBeGreaterThan((near('merge')?.said ?? 1) + 0.2)
})

it('knows what well-known products are for', () => {
  const page = aTool('post_page', 'Create a page')
  const near = aVocabulary({
    known: { ...page, server: 'notion-mcp' },
    unknown: { ...page, server: 'acme-mcp' },
  }).near('put it in the wiki')
  expect(near('known')?.said).toBeGreaterThan((near('unknown')?.said ?? 1) + 0.2)
})

it('knows what its tools are about, by what they say first and all of the words for it', () => {
  const vocabulary = aVocabulary({
    ...TOOLS,
    whoami: aTool('whoami', 'Identify the user. Returns the email address.'),
  })
  expect(vocabulary.about('web pages')).toContain('navigate')
  expect(vocabulary.about('photos')).toEqual(['screenshot'])
  // Merely mentioned, and one word of two.
  expect(vocabulary.about('email')).toEqual([])
  expect(vocabulary.about('image translation')).toEqual([])
  vocabulary.set('mail', aTool('send_mail', 'Sends an email'))
  expect(vocabulary.about('email')).toEqual(['mail'])
  vocabulary.delete('mail')
  expect(vocabulary.about('email')).toEqual([])
})

it('weighs a word less the more tools have it', () => {
  const near = aVocabulary().near('window browser')
  expect(near('resize')?.said).toBeGreaterThan(0.5)
  const many = Object.fromEntries(
    ['a', 'b', 'c', 'd', 'e'].map((id) => [id, aTool(`${id}_window`, 'About a window')]),
  )
  const crowded = aVocabulary({ ...TOOLS, ...many }).near('window navigate')
  expect(crowded('navigate')?.said).toBeGreaterThan(crowded('a')?.said ?? 1)
})

it('knows a tool by its latest definition, and forgets one that is gone', () => {
  const vocabulary = aVocabulary()
  const before = vocabulary.near('capture a picture')('screenshot')?.said ?? 0
  vocabulary.set('screenshot', aTool('read_clock', 'Gives the time of day'))
  expect(vocabulary.near('capture a picture')('screenshot')?.said).toBeLessThan(before)
  vocabulary.delete('screenshot')
  expect(vocabulary.near('capture a picture')('screenshot')).toBeUndefined()
  expect(vocabulary.near('capture a picture')('resize')).toBeDefined()
  for (const id of Object.keys(TOOLS)) vocabulary.delete(id)
  expect(vocabulary.near('capture a picture')('resize')).toBeUndefined()
})

it('has no opinion about a request without words', () => {
  expect(aVocabulary().near('the ?')('navigate')).toBeUndefined()
})
