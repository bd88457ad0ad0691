// What the service checks of a client, and the form of the console as well. Without zod, which the console does not load.

export const clientKinds = ['external', 'sign-in', 'entra', 'ciba'] as const

export const clientAuthentications = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] as const
type Authentication = (typeof clientAuthentications)[number]

/** How clients of each kind may authenticate. Those that say who the user is have to, and Entra shows by its tokens who it is. */
export const authenticationsOf = {
  external: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
  'sign-in': clientAuthentications,
  entra: ['none'],
  ciba: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
} as const satisfies Record<(typeof clientKinds)[number], readonly Authentication[]>

/** Whether clients with this authentication have a secret. */
export const usesSecret = (authentication: Authentication | undefined): boolean =>
  authentication === 'client_secret_basic' || authentication === 'client_secret_post'

/**
 * Whether a nonce can take the place of PKCE. It protects the ID token and not the code: a thief can redeem the code of a client that does
 * not authenticate. A client on the user's machine cannot keep a secret (RFC 8252 section 8.5).
 */
export const mayUseNonce = (authentication: string, native: boolean): boolean => authentication !== 'none' && !native

/** The addresses of one list of a client. */
export const maxAddresses = 20

/** The form of an id as the admin center of Microsoft Entra shows it, in lower case. */
export const entraId = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/

/** The members that make a key private or symmetric (RFC 7518 section 6). */
export const privateMembers: readonly string[] = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']
