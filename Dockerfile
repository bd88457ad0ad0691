# Builds the package from the source.
FROM node:24-bookworm-slim AS build
WORKDIR /srv/second-factor
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN node scripts/build.ts

# Installs the production dependencies in the versions of the lockfile, without compilers and tests.
FROM node:24-bookworm-slim AS install
WORKDIR /srv/second-factor
COPY package.json package-lock.json .npmrc ./
COPY scripts/production-dependencies.ts scripts/
RUN node scripts/production-dependencies.ts && npm install --omit=dev --ignore-scripts && rm -r scripts

FROM node:24-bookworm-slim
ENV NODE_ENV=production \
    MFA_DATABASE=/data/mfa.sqlite
WORKDIR /srv/second-factor
COPY --from=install /srv/second-factor ./
COPY --from=build /srv/second-factor/bin ./bin
COPY --from=build /srv/second-factor/dist ./dist
# The only folder that the service writes to. Everything else can be mounted read-only.
RUN install -d -m 700 -o 10001 -g 10001 /data
USER 10001:10001
VOLUME /data
EXPOSE 8787
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --retries=6 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8787/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Otherwise V8 reserves 128 MB for new objects.
ENTRYPOINT ["node", "--max-semi-space-size=16", "bin/second-factor.js"]
CMD ["serve", "--host", "0.0.0.0"]
