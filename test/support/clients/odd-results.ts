import { startHttpUpstream, stdioUpstream } from '../start.ts'
import { openHttp, openStdio } from './wires.ts'

/** Returns the answer of the stdio upstream to `odd`, without a gateway. */
export async function oddOfStdio(): Promise<string> {
  const client = await openStdio('legacy', stdioUpstream())
  const text = await client.text('tools/call', { name: 'odd', arguments: {} })
  await client.close()
  return text
}

/** Returns the answer of the HTTP upstream to `odd`, without a gateway. */
export async function oddOfHttp(): Promise<string> {
  const upstream = await startHttpUpstream('--era', 'modern')
  const client = await openHttp('modern', upstream.url)
  const text = await client.text('tools/call', { name: 'odd', arguments: {} })
  await upstream.close()
  return text
}

/** Returns the result inside an answer's text, without the field that the modern era adds. */
export function resultText(answer: string): string {
  return answer
    .slice(answer.indexOf('"result":') + '"result":'.length, -1)
    .replace('"resultType":"complete",', '')
}
