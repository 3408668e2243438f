import { expect, it } from 'vitest'
import { purposeOf } from './product-purposes.ts'

it.each(['GitHub', 'github-mcp', 'mcp_server_github', 'GitHub Copilot', 'my-gitHub'])(
  'knows that %s is for repositories',
  (name) => {
    expect(purposeOf(name)).toContain('repositories')
  },
)

it('knows another product by one part of its name', () => {
  expect(purposeOf('google-maps')).toContain('routes')
})

it.each(['acme', 'githubber', 'my-own-tools', ''])('says nothing about "%s"', (name) => {
  expect(purposeOf(name)).toBe('')
})
