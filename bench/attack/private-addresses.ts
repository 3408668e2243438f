import http from 'node:http'
import { listen } from '../support/listen.ts'
import type { Attack } from './report.ts'
import { Rig } from './rig.ts'

const TEXT = 'The witness has been read by the gateway, which it should not have been.'

/** Asks the gateway to fetch addresses of this machine, in every spelling (SSRF). */
export const privateAddresses: Attack = {
  name: 'requests to private addresses',
  async run(field) {
    let hits = 0
    const witness = http.createServer((_, response) => {
      hits += 1
      response.setHeader('content-type', 'text/html').end(`<p>${TEXT.repeat(5)}</p>`)
    })
    const { port } = new URL(await listen(witness))
    const rig = await Rig.open({
      settings: { builtins: { knowledge: true } },
      files: { 'docs/control.md': '# Control\n\nThe hoist brake shall hold the rated load.' },
    })
    await field.try('control: a file of the project is read', async () => {
      await rig.call('knowledge__knowledge_ingest', {
        url: 'docs/control.md',
        source_type: 'document',
      })
      const found = await rig.call('knowledge__knowledge_search', { query: 'hoist brake' })
      return found.includes('hoist brake shall hold')
    })
    const hosts = [
      '127.0.0.1',
      'localhost',
      'LOCALHOST.',
      'localhost.localdomain',
      '0.0.0.0',
      '0',
      '127.1',
      '127.0.1',
      '127.255.255.254',
      '2130706433',
      '0x7f000001',
      '0x7f.1',
      '0177.0.0.1',
      '017700000001',
      '①②⑦.0.0.1',
      '127。0。0。1',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::127.0.0.1]',
      '[0:0:0:0:0:ffff:7f00:1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      '[fe80::1]',
      'user@127.0.0.1',
      'example.org@127.0.0.1',
    ]
    const urls = [
      ...hosts.map((host) => `http://${host}:${port}/`),
      `http://127.0.0.1:${port}\\@example.org/`,
      `http:/127.0.0.1:${port}/`,
      `http:127.0.0.1:${port}`,
      `HTTP://127.0.0.1:${port}/`,
      'http://169.254.169.254/latest/meta-data/',
      'http://10.0.0.1/',
      'http://192.168.1.1/',
      'http://172.16.0.1/',
      'http://100.64.0.1/',
      `gopher://127.0.0.1:${port}/`,
      `ftp://127.0.0.1:${port}/`,
      `data:text/html,${TEXT}`,
      'javascript:alert(1)',
    ]
    for (const url of urls)
      await field.try(url, async () => {
        hits = 0
        const answer = await rig.call('knowledge__knowledge_ingest', { url, depth: 1 })
        return hits === 0 && !answer.includes('"chunks_added"')
      })
    await field.try('nothing of it is found afterwards', async () => {
      const found = await rig.call('knowledge__knowledge_search', { query: 'witness read gateway' })
      return !found.includes('witness has been read')
    })
    await rig.discard()
    witness.close()
  },
}
