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
