import type { HttpRequest } from './http-request.ts'

/** A request with the web session that middleware of the app has read. */
export type WithSession = HttpRequest & { session?: WebSession | undefined }

/** A web session, as one kind of middleware keeps it. */
export interface WebSession {
  cookie?: { originalMaxAge?: number | false | null; maxAge?: number | null; expires?: unknown }
  regenerate?(callback: (error?: unknown) => void): void
  save?(callback: (error?: unknown) => void): void
}

/** How one kind of middleware keeps web sessions. These objects have no state: a request does not pay for one. */
export interface SessionKind {
  /**
   * Whether the browser keeps everything in a cookie, under no id: so none can be planted, and saving means sending the answer.
   */
  readonly isInCookie: boolean
  /** The name of the middleware, and of one with which a web session may be larger. */
  readonly name: string
  readonly alternative: string
  /** The id of the present web session; undefined where it is in a cookie. */
  idOf(req: HttpRequest): string | undefined
  /** The web session's own member of that name, never one of a polluted prototype. */
  read(session: WebSession, name: string): unknown
  /** @param value undefined removes the member. */
  write(session: WebSession, name: string, value: unknown): void
  /** The data of the app and ours, without what belongs to the middleware. */
  dataOf(session: WebSession): Record<string, unknown>
  /** The web session as it is stored now; undefined if there is none, or this one where nothing can be asked. */
  readStored(req: HttpRequest): Promise<Record<string, unknown> | undefined>
  /** The bytes of the cookie, with its name, in which the browser would keep that data. */
  cookieSize(req: HttpRequest, data: object): number
  /** Takes the web session off the request. @returns a function that attaches it again. */
  detach(req: HttpRequest): () => void
}
