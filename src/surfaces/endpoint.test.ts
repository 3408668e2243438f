import { expect, it } from 'vitest'
import { openToy } from '../../test/settings/open-toy.ts'

it.each(['constructor', 'toString', '__proto__', 'no/such'])('has no method %s', async (method) => {
  const toy = await openToy({})
  await expect(toy.request(method, {}, { credential: 'a secret' })).rejects.toThrow(
    `Method not found: ${method}`,
  )
})
