/** The name of the standard, the same in every language. */
export const openIdName = 'OpenID Connect'
