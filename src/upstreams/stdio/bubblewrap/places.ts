const words = (text: string) => text.trim().split(/\s+/)

/** Folders and files of the system that a program needs to run, read-only. */
export const SYSTEM_PLACES = [
  ...words(`
    /usr /bin /sbin /lib /lib32 /lib64 /libx32
    /nix/store /gnu/store /run/current-system/sw /var/cache/fontconfig
  `),
  ...words(`
    alternatives ca-certificates ca-certificates.conf chromium chromium.d crypto-policies
    debian_version fonts gai.conf group host.conf hostname hosts java-11-openjdk java-17-openjdk
    java-21-openjdk ld.so.cache ld.so.conf ld.so.conf.d locale.alias localtime login.defs machine-id
    magic mime.types nsswitch.conf os-release passwd pki/ca-trust pki/tls/certs pki/tls/cert.pem
    profile protocols resolv.conf services shells ssl/cert.pem ssl/certs ssl/openssl.cnf static
    terminfo timezone
  `).map((name) => `/etc/${name}`),
]

/** Places of a home folder that hold secrets, or that other programs run or believe. */
export const SECRET_PLACES = words(`
  .ssh .gnupg .pki .password-store .local/share/keyrings .vault-token
  .aws .azure .kube .docker .terraform.d .oci .boto .s3cfg
  .config .mozilla .thunderbird .var/app snap Library
  .netrc .npmrc .pypirc .git-credentials .pgpass .my.cnf .cargo/credentials .cargo/credentials.toml
  .bash_history .zsh_history .node_repl_history
  .claude .claude.json .codex .gemini .cursor .vscode .continue
`)

/**
 * Places of a folder that programs outside of the sandbox run or believe, so that a server which may
 * write the folder could leave it by them.
 */
export const BELIEVED_PLACES = words(`
  .mcp.json mcp.lock .mcp-gateway-rules.json portolan.yaml apis
  config/.mcp.json config/.mcp-gateway-rules.json
  .git/hooks .git/config .envrc .husky
  .vscode .cursor .claude .codex .gemini .idea .devcontainer
`)
