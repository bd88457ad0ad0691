/** The user of all examples, with what REST and the console both say of one. */
export const userExample = {
  id: '1f'.repeat(20),
  username: 'alice',
  name: 'Alice Example',
  email: 'alice@example.com',
  domains: ['2e'.repeat(20)],
} as const
