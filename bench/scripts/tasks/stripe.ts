import { type Task, amount, tally, text } from '../task.ts'

const CHARGES = '/v1/charges'
const INVOICES = '/v1/invoices'
const CUSTOMERS = '/v1/customers'

/** Tasks over customers, charges and invoices, with Stripe's own API description. */
export const STRIPE_TASKS: readonly Task[] = [
  {
    name: 'charged amounts by status, all pages',
    kind: 'paging',
    find: 'list charges',
    needs: ['stripe.GetCharges'],
    fields: { 'stripe.GetCharges': ['id', 'status', 'amount'] },
    code: `const sums = {}
let starting_after
for (;;) {
  const { data, has_more } = await tools.stripe.GetCharges({ limit: 10, ...(starting_after && { starting_after }) })
  for (const { status, amount } of data) sums[status] = (sums[status] ?? 0) + amount
  if (!has_more) break
  starting_after = data.at(-1).id
}
return sums`,
    expected: ({ stripe }) =>
      tally(
        stripe.all(CHARGES),
        (charge) => text(charge, 'status'),
        (charge) => amount(charge, 'amount'),
      ),
  },
  {
    name: 'what each customer still owes',
    kind: 'paging',
    find: 'list invoices',
    needs: ['stripe.GetInvoices'],
    fields: { 'stripe.GetInvoices': ['id', 'customer', 'amount_remaining'] },
    code: `const owed = {}
let starting_after
for (;;) {
  const { data, has_more } = await tools.stripe.GetInvoices({ limit: 10, ...(starting_after && { starting_after }) })
  for (const { customer, amount_remaining } of data) owed[customer] = (owed[customer] ?? 0) + amount_remaining
  if (!has_more) break
  starting_after = data.at(-1).id
}
return owed`,
    expected: ({ stripe }) =>
      tally(
        stripe.all(INVOICES),
        (invoice) => text(invoice, 'customer'),
        (invoice) => amount(invoice, 'amount_remaining'),
      ),
  },
  {
    name: 'addresses behind the five largest invoices',
    kind: 'lookup',
    find: 'list invoices; retrieve a customer',
    needs: ['stripe.GetInvoices', 'stripe.GetCustomersCustomer'],
    fields: { 'stripe.GetInvoices': ['customer', 'amount_due'] },
    code: `const { data } = await tools.stripe.GetInvoices({ limit: 60 })
const largest = data.sort((a, b) => b.amount_due - a.amount_due).slice(0, 5)
const customers = await parallel(largest.map(({ customer }) => () => tools.stripe.GetCustomersCustomer({ customer })))
return customers.map(({ email }) => email)`,
    expected: ({ stripe }) =>
      stripe
        .all(INVOICES)
        .toSorted((a, b) => amount(b, 'amount_due') - amount(a, 'amount_due'))
        .slice(0, 5)
        .map(
          (invoice) =>
            stripe.all(CUSTOMERS).find(({ id }) => id === invoice['customer'])?.['email'],
        ),
  },
  {
    name: 'refund the small disputed charges',
    kind: 'filter and write',
    find: 'list charges; create a refund of a charge',
    needs: ['stripe.GetCharges', 'stripe.PostChargesChargeRefund'],
    fields: { 'stripe.GetCharges': ['id', 'amount', 'disputed'] },
    code: `const refunded = []
let starting_after
for (;;) {
  const { data, has_more } = await tools.stripe.GetCharges({ limit: 30, ...(starting_after && { starting_after }) })
  for (const { id, amount, disputed } of data) {
    if (!disputed || amount > 10_000) continue
    await tools.stripe.PostChargesChargeRefund({ charge: id, body: { amount } })
    refunded.push(id)
  }
  if (!has_more) break
  starting_after = data.at(-1).id
}
return refunded`,
    expected: ({ stripe }) =>
      stripe
        .all(CHARGES)
        .filter((charge) => charge['disputed'] === true && amount(charge, 'amount') <= 10_000)
        .map(({ id }) => id),
    writes: ({ stripe }) =>
      stripe
        .all(CHARGES)
        .filter((charge) => charge['disputed'] === true && amount(charge, 'amount') <= 10_000)
        .length,
  },
  {
    name: 'customers without a charge',
    kind: 'join',
    find: 'list customers; list charges',
    needs: ['stripe.GetCustomers', 'stripe.GetCharges'],
    fields: { 'stripe.GetCustomers': ['id'], 'stripe.GetCharges': ['id', 'customer'] },
    code: `const all = async (tool) => {
  const rows = []
  for (;;) {
    const { data, has_more } = await tool({ limit: 30, ...(rows.length && { starting_after: rows.at(-1).id }) })
    rows.push(...data)
    if (!has_more) return rows
  }
}
const charged = new Set((await all(tools.stripe.GetCharges)).map(({ customer }) => customer))
return (await all(tools.stripe.GetCustomers)).map(({ id }) => id).filter((id) => !charged.has(id))`,
    expected: ({ stripe }) => {
      const charged = new Set(stripe.all(CHARGES).map(({ customer }) => customer))
      return stripe
        .all(CUSTOMERS)
        .map(({ id }) => id)
        .filter((id) => !charged.has(id))
    },
  },
  {
    name: 'note on every delinquent customer',
    kind: 'filter and write',
    find: 'list customers; update a customer',
    needs: ['stripe.GetCustomers', 'stripe.PostCustomersCustomer'],
    fields: { 'stripe.GetCustomers': ['id', 'delinquent'] },
    code: `const { data } = await tools.stripe.GetCustomers({ limit: 20 })
const late = data.filter(({ delinquent }) => delinquent)
for (const { id } of late) await tools.stripe.PostCustomersCustomer({ customer: id, body: { description: 'call them' } })
return late.length`,
    expected: ({ stripe }) =>
      stripe.all(CUSTOMERS).filter(({ delinquent }) => delinquent === true).length,
    writes: ({ stripe }) =>
      stripe.all(CUSTOMERS).filter(({ delinquent }) => delinquent === true).length,
  },
  {
    name: 'charges by month',
    kind: 'aggregation',
    find: 'list charges',
    needs: ['stripe.GetCharges'],
    fields: { 'stripe.GetCharges': ['id', 'created'] },
    code: `const months = {}
let starting_after
for (;;) {
  const { data, has_more } = await tools.stripe.GetCharges({ limit: 20, ...(starting_after && { starting_after }) })
  for (const { created } of data) {
    const month = new Date(created * 1000).toISOString().slice(0, 7)
    months[month] = (months[month] ?? 0) + 1
  }
  if (!has_more) break
  starting_after = data.at(-1).id
}
return months`,
    expected: ({ stripe }) =>
      tally(stripe.all(CHARGES), (charge) =>
        new Date(amount(charge, 'created') * 1000).toISOString().slice(0, 7),
      ),
  },
  {
    name: 'charges of each of six customers',
    kind: 'lookup',
    find: 'list charges of a customer',
    needs: ['stripe.GetCharges'],
    fields: { 'stripe.GetCharges': ['id'] },
    code: `const customers = ['cus_1', 'cus_2', 'cus_3', 'cus_4', 'cus_5', 'cus_6']
const lists = await parallel(customers.map((customer) => () => tools.stripe.GetCharges({ customer, limit: 100 })))
return Object.fromEntries(customers.map((customer, n) => [customer, lists[n].data.length]))`,
    expected: ({ stripe }) =>
      Object.fromEntries(
        [1, 2, 3, 4, 5, 6].map((n) => [
          `cus_${n}`,
          stripe.all(CHARGES).filter(({ customer }) => customer === `cus_${n}`).length,
        ]),
      ),
  },
  {
    name: 'detail of the six newest subscriptions',
    kind: 'lookup',
    find: 'list subscriptions; retrieve a customer',
    needs: ['stripe.GetSubscriptions', 'stripe.GetCustomersCustomer'],
    fields: { 'stripe.GetSubscriptions': ['id', 'created', 'customer'] },
    code: `const { data } = await tools.stripe.GetSubscriptions({ limit: 30 })
const newest = data.sort((a, b) => b.created - a.created || a.id.localeCompare(b.id)).slice(0, 6)
const customers = await parallel(newest.map(({ customer }) => () => tools.stripe.GetCustomersCustomer({ customer })))
return newest.map(({ id }, n) => id + ' ' + customers[n].email)`,
    expected: ({ stripe }) =>
      stripe
        .all('/v1/subscriptions')
        .toSorted(
          (a, b) =>
            amount(b, 'created') - amount(a, 'created') ||
            text(a, 'id').localeCompare(text(b, 'id')),
        )
        .slice(0, 6)
        .map((subscription) => {
          const owner = stripe.all(CUSTOMERS).find(({ id }) => id === subscription['customer'])
          return `${text(subscription, 'id')} ${String(owner?.['email'])}`
        }),
  },
  {
    name: 'what one customer was charged',
    kind: 'small',
    find: 'list charges of a customer',
    needs: ['stripe.GetCharges'],
    fields: { 'stripe.GetCharges': ['amount'] },
    code: `const { data } = await tools.stripe.GetCharges({ customer: 'cus_3', limit: 100 })
return data.reduce((sum, { amount }) => sum + amount, 0)`,
    expected: ({ stripe }) =>
      stripe
        .all(CHARGES)
        .filter(({ customer }) => customer === 'cus_3')
        .reduce((sum, charge) => sum + amount(charge, 'amount'), 0),
  },
  {
    name: 'the address of one customer',
    kind: 'small',
    find: 'retrieve a customer',
    needs: ['stripe.GetCustomersCustomer'],
    code: `return (await tools.stripe.GetCustomersCustomer({ customer: 'cus_7' })).email`,
    expected: ({ stripe }) => stripe.all(CUSTOMERS)[6]?.['email'],
  },
]
