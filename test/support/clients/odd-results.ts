import { startHttpUpstream, stdioUpstream } from '../start.ts'
import { openHttp, openStdio } from './wires.ts'

/** What the stdio upstream answers to `odd`, without a gateway. */
export async function oddOfStdio(): Promise<string> {
  const client = await openStdio('legacy', stdioUpstream())
  const text = await client.text('tools/call', { name: 'odd', arguments: {} })
  await client.close()
  return text
}

/** The same of the HTTP upstream. */
export async function oddOfHttp(): Promise<string> {
  const upstream = await startHttpUpstream('--era', 'modern')
  const client = await openHttp('modern', upstream.url)
  const text = await client.text('tools/call', { name: 'odd', arguments: {} })
  await upstream.close()
  return text
}

/** The result inside an answer's text, without the field that the new era adds. */
export function resultText(answer: string): string {
  return answer
    .slice(answer.indexOf('"result":') + '"result":'.length, -1)
    .replace('"resultType":"complete",', '')
}
