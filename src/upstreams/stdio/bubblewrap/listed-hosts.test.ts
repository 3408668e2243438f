import { expect, it } from 'vitest'
import { toListed } from './listed-hosts.ts'

const allows = (list: readonly string[], host: string, port: number) =>
  toListed(list).some(({ matches, ports }) => matches(host) && ports.includes(port))

it('a host means the ports of HTTP, unless it has one of its own', () => {
  expect(allows(['api.example.com'], 'api.example.com', 443)).toBe(true)
  expect(allows(['API.example.com'], 'api.example.com', 80)).toBe(true)
  expect(allows(['api.example.com'], 'api.example.com', 22)).toBe(false)
  expect(allows(['db.internal:5432'], 'db.internal', 5432)).toBe(true)
  expect(allows(['db.internal:5432'], 'db.internal', 443)).toBe(false)
})

it('a star means the names below, not the name itself nor one that only ends like it', () => {
  expect(allows(['*.example.com'], 'a.b.example.com', 443)).toBe(true)
  expect(allows(['*.example.com'], 'example.com', 443)).toBe(false)
  expect(allows(['*.example.com'], 'evilexample.com', 443)).toBe(false)
})
