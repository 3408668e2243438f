import { describe, expect, it } from 'vitest'
import { defineAnalyser } from './analyser.ts'
import { splitIdentifier } from './split-identifier.ts'
import { stem } from './stem.ts'
import { STOP_WORDS } from './stop-words.ts'

const all = (analyser: ReturnType<typeof defineAnalyser>, text: string) =>
  analyser.words(text).flatMap((word) => analyser.terms(word))

describe('splitIdentifier', () => {
  it.each([
    ['parseHTTPBody2', ['parse', 'http', 'body', '2']],
    ['MAX_RETRY_COUNT', ['max', 'retry', 'count']],
    ['HTTPServer', ['http', 'server']],
    ['utf8Decoder', ['utf', '8', 'decoder']],
    ['__init__', ['init']],
    ['plain', ['plain']],
    ['getURL', ['get', 'url']],
    ['été_chaud', ['été', 'chaud']],
  ])('splits %s', (word, parts) => {
    expect(splitIdentifier(word)).toEqual(parts)
  })
})

describe('stem', () => {
  it.each([
    ['validate', 'validation', 'validator', 'validating', 'validates'],
    ['cache', 'caching', 'cached', 'caches'],
    ['run', 'running', 'runs'],
    ['query', 'queries'],
    ['serialize', 'serializer', 'serialization', 'serializing', 'serialized'],
    ['middleware', 'middlewares'],
    ['compress', 'compression', 'compressed', 'compressor'],
  ])('sends the forms of %s to one term', (...forms) => {
    expect([...new Set(forms.map(stem))]).toHaveLength(1)
  })

  it.each([
    ['string', 'str'],
    ['status', 'state'],
    ['class', 'clas'],
    ['ring', 'r'],
  ])('keeps %s apart from %s', (one, other) => {
    expect(stem(one)).not.toBe(other)
  })
})

describe('defineAnalyser', () => {
  it('keeps a whole identifier beside its parts', () => {
    expect(all(defineAnalyser({ identifiers: true }), 'call readFile()')).toEqual([
      'call',
      'read',
      'file',
      'readfile',
    ])
  })

  it('drops stop words, inside identifiers too', () => {
    const analyser = defineAnalyser({ identifiers: true, stopWords: STOP_WORDS })
    expect(all(analyser, 'how to read the toJson')).toEqual(['read', 'json', 'tojson'])
  })

  it('meets accented and plain spellings', () => {
    const analyser = defineAnalyser()
    expect(all(analyser, 'Crème')).toEqual(all(analyser, 'creme'))
  })

  it('indexes scripts without spaces by pairs', () => {
    expect(all(defineAnalyser(), '全文検索')).toEqual(['全文', '文検', '検索'])
  })

  it('adds character n-grams when asked', () => {
    expect(all(defineAnalyser({ ngrams: 3 }), 'abc')).toEqual(['abc', '^ab', 'abc', 'bc$'])
  })

  it('skips blobs that nobody searches for', () => {
    expect(all(defineAnalyser(), 'a'.repeat(500))).toEqual([])
  })
})
