import { describe, expect, it } from 'vitest'
import { isQuestion, requestsOf, sentencesOf, serversNamedIn, verbOf } from './read-request.ts'

describe('the steps of a request', () => {
  it.each([
    ['crawl the docs site, then write it to a file', ['crawl the docs site', 'write it to a file']],
    [
      'Find the open issues and send a summary to Slack',
      ['Find the open issues', 'send a summary to Slack'],
    ],
    ['list files; send a mail', ['list files', 'send a mail']],
  ])('%s', (query, steps) => {
    expect(requestsOf(query)).toEqual(steps)
  })

  it.each([
    'find cats and dogs',
    'weather service\nget the current weather',
    'research platform and paper search, full text',
    'salt and pepper',
  ])('leaves "%s" whole', (query) => {
    expect(requestsOf(query)).toEqual([query])
  })

  it.each([
    ['a long plan', 'write a file and then '.repeat(20_000), 8],
    ['many spaces', `write a file${' '.repeat(500_000)}and send a mail`, 2],
  ])('reads %s in time linear to it', (_, request, steps) => {
    const started = performance.now()
    expect(requestsOf(request)).toHaveLength(steps)
    expect(performance.now() - started).toBeLessThan(20_000)
  })
})

it('takes only texts of several sentences apart', () => {
  expect(sentencesOf('one sentence only here')).toEqual([])
  expect(sentencesOf('The build broke. Find the commit that did it. Ok.')).toEqual([
    'The build broke.',
    'Find the commit that did it.',
  ])
})

it.each([
  ['send it to Slack', ['slack']],
  ['search google maps for a place', ['google-maps']],
  ['use GoogleMaps', ['google-maps']],
  ['an mcp server for notes', []],
])('%s names %j', (request, names) => {
  expect([...serversNamedIn(request, ['slack', 'google-maps', 'mcp-server'])]).toEqual(names)
})

it.each([
  ['how many customers are in the database', true],
  ['which errors did the page log?', true],
  ['Is the build green?', true],
  ['how do I delete a file', false],
  ['can you create an issue', false],
  ['list the issues', false],
])('"%s" wants to know something: %j', (request, wantsToKnow) => {
  expect(isQuestion(request)).toBe(wantsToKnow)
})

it.each([
  ['open a web page', ['open']],
  ['Please open, if you can, the page', ['open']],
  ['how many customers are there', ['count']],
  ['why is this slow', ['explain']],
  ['which tables are there', ['list']],
  ['how do I delete a file', []],
  ['the weather tomorrow', []],
])('what "%s" wants done is %j', (request, verb) => {
  expect(verbOf(request)).toEqual(verb)
})
