import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { Browser } from '../support/sign-in/browser.ts'
import { withKey } from '../support/sign-in/signing-client.ts'
import { startWithSignIn } from '../support/sign-in/start-with-sign-in.ts'
import { installSuite } from './suite.ts'

it('the authorization server passes the scenarios of the official suite', async () => {
  const gateway = await startWithSignIn()
  const port = await freePort()
  const clientId = await register(gateway.url, `http://127.0.0.1:${port}/callback`)
  const { node, program } = await installSuite()
  const suite = [program, 'authorization', '--url', gateway.url, '--client-id', clientId]
  const child = spawn(node, [...suite, '--resource', `${gateway.url}/mcp`, '-p', String(port)])
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    // The suite waits for a person; from here on it is this one.
    if (line.startsWith(`${gateway.url}/oauth/authorize?`)) void agree(line, gateway)
  }
  const passed = lines.filter((line) => line.startsWith('✓ ')).map((line) => line.split(/[ :]/)[1])
  expect(lines.filter((line) => line.startsWith('✗ '))).toEqual([])
  expect(passed).toEqual(['authorization-server-metadata-endpoint', 'authorization-code-grant'])
})

async function register(origin: string, redirectUri: string): Promise<string> {
  const response = await fetch(`${origin}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Conformance suite',
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'none',
    }),
  })
  const { client_id }: { client_id: string } = JSON.parse(await response.text())
  return client_id
}

async function agree(address: string, { url, key }: { url: string; key: string }): Promise<void> {
  const browser = new Browser()
  const answer = await withKey(key)(browser, await browser.open(address, url))
  await fetch(answer.url)
}
