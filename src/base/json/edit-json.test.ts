import { parse } from 'jsonc-parser'
import { expect, it } from 'vitest'
import { editJson } from './edit-json.ts'

it('puts an entry in front of others without touching them', () => {
  expect(
    editJson(
      '{ // all\n  "s": { // ours\n    // about a\n    "a": {"x":1}, // keep\n  },\n}\n',
      ['s', 'n'],
      {
        c: 1,
      },
    ),
  ).toBe(
    '{ // all\n  "s": { // ours\n    "n": {\n      "c": 1\n    },\n    // about a\n    "a": {"x":1}, // keep\n  },\n}\n',
  )
})

it('keeps tabs and line ends of Windows', () => {
  expect(editJson('{\r\n\t"s": {\r\n\t\t"a": 1\r\n\t}\r\n}', ['s', 'n'], { c: [2] })).toBe(
    '{\r\n\t"s": {\r\n\t\t"n": {\r\n\t\t\t"c": [\r\n\t\t\t\t2\r\n\t\t\t]\r\n\t\t},\r\n\t\t"a": 1\r\n\t}\r\n}',
  )
})

it('stays on one line where the file does', () => {
  expect(editJson('{"z":1,"s":{"a":1}}', ['s', 'n'], { c: 1 })).toBe(
    '{"z":1,"s":{"n":{"c":1},"a":1}}',
  )
})

it('makes the places that are missing, in an empty file and beside others', () => {
  expect(editJson('', ['s', 'n'], 1)).toBe('{\n  "s": {\n    "n": 1\n  }\n}\n')
  expect(JSON.parse(editJson('{\n  "a": {}\n}', ['s', 'x.y', 'n'], 1))).toEqual({
    a: {},
    s: { 'x.y': { n: 1 } },
  })
})

it('replaces and removes one entry', () => {
  const text = '{\n  "s": {\n    "n": 1,\n    "a": 2 // two\n  }\n}\n'
  expect(editJson(text, ['s', 'n'], 3)).toBe(text.replace('1', '3'))
  expect(editJson(text, ['s', 'n'], undefined)).toBe('{\n  "s": {\n    "a": 2 // two\n  }\n}\n')
})

it('removes an entry with its own line, and leaves comments around it', () => {
  const text =
    '{\n  "s": {\n    // about a\n    "a": { "x": 1 },\n    "b": 2, // two\n    /* c */ "c": 3\n  }\n}\n'
  expect(editJson(text, ['s', 'a'], undefined)).toBe(text.replace('    "a": { "x": 1 },\n', ''))
  expect(editJson(text, ['s', 'b'], undefined)).toBe(text.replace('    "b": 2, // two\n', ''))
  expect(editJson(text, ['s', 'c'], undefined)).toBe(
    text.replace('"b": 2,', '"b": 2').replace('"c": 3', ''),
  )
  expect(editJson('{"a":1, "b":2}', ['a'], undefined)).toBe('{"b":2}')
  expect(editJson('{"a":1, "b":2}', ['b'], undefined)).toBe('{"a":1 }')
  expect(editJson('{"a":1}', ['nothing', 'there'], undefined)).toBe('{"a":1}')
})

it('empties an object that has trailing commas, and fills it again', () => {
  const empty = editJson('{\n  "s": {\n    "a": 1, // one\n  },\n}\n', ['s', 'a'], undefined)
  expect(empty).toBe('{\n  "s": {\n  },\n}\n')
  expect(editJson(empty, ['s', 'n'], 2)).toBe('{\n  "s": {\n    "n": 2\n  },\n}\n')
})

it('does not take an entry between two comments for a comment', () => {
  const text = '{\n  "s": { /* one */ "a": 1 /* two */\n  }\n}\n'
  expect(parse(editJson(text, ['s', 'b'], 2))).toEqual({ s: { a: 1, b: 2 } })
  const several = '{\n  "s": {\n    "a": 1, /* one */ "b": 2 /* two */\n  }\n}\n'
  expect(parse(editJson(several, ['s', 'a'], undefined))).toEqual({ s: { b: 2 } })
})
