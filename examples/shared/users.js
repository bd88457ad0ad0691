/** Stands for your user database. */
const users = new Map([
  ['alice', { username: 'alice', name: 'Alice', email: 'alice@example.com' }],
  ['bob', { username: 'bob', name: 'Bob', email: 'bob@example.com' }],
])

export const findUser = (username) => users.get(username)

/** Every user's password is "secret". */
export const checkPassword = (username, password) => (password === 'secret' ? findUser(username) : undefined)
