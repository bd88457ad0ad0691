/** Matches the path of an endpoint, such as `/users/:userId`, and names its parameters. */
export const pathPattern = (path: string): RegExp => new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`)
