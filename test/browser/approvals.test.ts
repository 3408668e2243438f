import { expect, it } from 'vitest'
import { gravely } from '../support/dashboard/axe.ts'
import { useSite } from '../support/dashboard/visit.ts'
import { openGateway } from '../support/open-gateway.ts'
import { call, textOf } from '../support/clients/talk.ts'
import { stdioUpstream } from '../support/start.ts'
import type { Later } from '../support/temp-folder.ts'

const site = useSite(async (later: Later) =>
  openGateway({
    servers: { one: stdioUpstream() },
    rules: { agents: { ada: { allow: { servers: ['*'] }, ask: { tools: { one: ['echo'] } } } } },
    settings: { approvals: { waitMs: 60_000 } },
    later,
  }),
)

it.each([
  ['a wide screen', 1440, 'light'],
  ['a phone in the dark', 390, 'dark'],
] as const)('a person sees and answers what waits, on %s', async (name, width, colorScheme) => {
  const { gateway, visit, visitAsOwner } = site()
  const client = await gateway.connect({
    headers: { 'x-agent-id': 'ada' },
    capabilities: { roots: {} },
  })
  const text = `for ${name}`
  const calling = call(client, 'echo', { text })
  await visit('/approvals', async (page) => {
    await page.getByText('ada wants to call one.echo').waitFor()
    expect(await page.getByText(text).count(), 'arguments are for those who may answer').toBe(0)
    expect(await page.getByRole('button', { name: 'Approve once' }).count()).toBe(0)
  })
  await visitAsOwner('/approvals', async (page) => {
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme })
    await page.getByText(`"text": "${text}"`).waitFor()
    expect(await gravely(page)).toEqual([])
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
    expect(wide, 'nothing is cut off').toBeLessThanOrEqual(width)
    await page.getByRole('button', { name: 'Approve once' }).click()
    await page.getByText('Nothing waits now.').waitFor()
  })
  expect(textOf(await calling)).toBe(text)
})
