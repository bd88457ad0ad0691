/**
 * A GraphQL API behind a second factor. All operations have one address, so the gate lets `/graphql` pass, and the schema decides: each
 * root field needs the second step unless it is public. A name or text of an operation decides nothing, because callers choose it.
 */
import { promisify } from 'node:util'

import express from 'express'
import session from 'express-session'
import { buildSchema, graphql } from 'graphql'
import { mfa } from 'second-factor'
import { embedded } from 'second-factor/service'

import { protectSchema } from './shared/protect-schema.js'
import { start } from './shared/start.js'
import { checkPassword } from './shared/users.js'

const types = `
  type Query { me: String, accounts: [String!] }
  type Mutation { login(username: String!, password: String!): Boolean!, transfer(amount: Int!): Boolean! }
`
const schema = protectSchema(buildSchema(types), ['Query.me', 'Mutation.login'])

const rootValue = {
  me: (_args, { req }) => req.session.user?.username,
  accounts: () => ['4711', '4712'],
  transfer: () => true,
  async login({ username, password }, { req }) {
    const user = checkPassword(username, password)
    if (!user) return false
    await promisify(req.session.regenerate).call(req.session)
    req.session.user = user
    return true
  },
}

const app = express()
app.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))
app.use(
  mfa({
    service: embedded({ database: 'mfa.sqlite' }),
    appName: 'GraphQL',
    user: (req) => req.session.user,
    provision: true,
    public: ['/graphql'],
  }),
)

// Only POST: a link on another site could have a browser send a GET.
app.post('/graphql', express.json(), async (req, res) => {
  const { query: source, variables: variableValues, operationName } = req.body
  res.json(await graphql({ schema, rootValue, contextValue: { req }, source, variableValues, operationName }))
})
app.get('/', (req, res) => res.send(`Hello, ${req.session.user?.name ?? 'stranger'}`))

start(app)
