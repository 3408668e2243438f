import { describe, expect, it } from 'vitest'
import { parseCodeQuery } from './code-query.ts'

describe('parseCodeQuery', () => {
  it.each(['Mux', 'parse_body', 'Rack::Response', 'Sinatra.Helpers', 'HTTPException', '$store'])(
    'takes %s for a symbol',
    (text) => {
      expect(parseCodeQuery(text).kind).toBe('symbol')
    },
  )

  it.each(['radix tree', 'how does retry work?', '', '???'])('takes %j for a text', (text) => {
    expect(parseCodeQuery(text).kind).toBe('text')
  })

  it.each([
    ['StatusPool type', 'StatusPool'],
    ['the WORDS_PER_MINUTE constant', 'WORDS_PER_MINUTE'],
    ['where is `parse_body` defined?', 'parse_body'],
  ])('takes %j for the symbol that it names', (text, name) => {
    expect(parseCodeQuery(text)).toMatchObject({ kind: 'symbol', text: name, names: [name] })
  })

  it.each(['status type', 'StatusPool and its type check', 'the type of the class'])(
    'takes %j for a text although it has such words',
    (text) => {
      expect(parseCodeQuery(text)).toMatchObject({ kind: 'text', text })
    },
  )

  it('looks a qualified symbol up by its last part', () => {
    expect(parseCodeQuery('Rack::Response').names).toEqual(['Response'])
  })

  it('finds the identifiers within a sentence', () => {
    expect(parseCodeQuery('how does IntoResponse use to_json').names).toEqual([
      'IntoResponse',
      'to_json',
    ])
  })

  it('spells out the names that its words may stand for, not across stop words', () => {
    const { spelt } = parseCodeQuery('circuit breaker of state')
    expect(spelt).toEqual(['circuitbreaker', 'circuit_breaker'])
  })

  it('asks for what its words mean first, and adds what may stand for them', () => {
    const { stems, terms } = parseCodeQuery('the configuration of the database')
    expect(terms.slice(0, stems.length).map(({ term }) => term)).toEqual(stems)
    const extras = terms.slice(stems.length)
    expect(extras.every(({ extra }) => extra)).toBe(true)
    expect(extras.map(({ term }) => term)).toContain('db')
  })

  it.each([
    ['where are the tests of the router', 'test'],
    ['mocking of timers', 'test'],
    ['documentation of the plugin system', 'prose'],
    ['an example of middleware', 'example'],
    ['which release workflow publishes the package', 'data'],
  ])('knows what kind of file is asked for: %s', (text, role) => {
    expect([...parseCodeQuery(text).wants]).toEqual([role])
  })

  it.each(['test whether a list is empty', 'how are documents indexed', 'decode JSON'])(
    'does not take a word in passing for such a wish: %s',
    (text) => {
      expect([...parseCodeQuery(text).wants]).toEqual([])
    },
  )

  it('reads a page of text', () => {
    const page = 'many different words '.repeat(5000)
    expect(parseCodeQuery(page).stems).toEqual(['mani', 'different', 'word'])
  })
})
