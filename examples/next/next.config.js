// Bundled, second-factor would be a second copy, which does not know the requests of the first one.
export default { serverExternalPackages: ['second-factor'] }
