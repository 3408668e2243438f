import { once } from 'node:events'
import { createServer } from 'node:http'

export interface ShopApi {
  readonly url: string
  close(): Promise<void>
}

const CITIES = ['Genoa', 'Palma', 'Venice', 'Lisbon', 'Dubrovnik']
const GOODS = ['compass', 'astrolabe', 'chart', 'lantern', 'rope', 'sextant', 'log line']
const ORDERS = Array.from({ length: 150 }, (_, index) => ({
  id: 1001 + index,
  customer: `customer-${(index * 7) % 40}`,
  city: CITIES[index % CITIES.length],
  status: index % 11 === 0 ? 'returned' : index % 3 === 0 ? 'open' : 'shipped',
  total: Number((12.5 + ((index * 37) % 400)).toFixed(2)),
  items: [0, 3].map((shift) => ({
    sku: `SKU-${(index + shift) % GOODS.length}`,
    name: GOODS[(index + shift) % GOODS.length],
    quantity: 1 + ((index + shift) % 4),
  })),
}))

/** Starts a REST API with sample data on a free local port. */
export async function startShopApi(): Promise<ShopApi> {
  const server = createServer((request, response) => {
    const [path, id] = (request.url ?? '/').split('/').slice(1)
    const order = ORDERS.find((each) => String(each.id) === id)
    const found = path === 'orders' && (id === undefined ? { orders: ORDERS } : order)
    response
      .writeHead(found ? 200 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify(found || { error: 'not found' }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
