"""Clouds, clusters and containers: commands that are asked about, and their permitted twins."""

from __future__ import annotations

ASKED = """
aws --profile prod s3 rb s3://b --force
aws s3 rm s3://b/logs --recursive
aws s3 sync build s3://b --delete
aws s3 cp report.pdf s3://b/report.pdf
aws s3 mv s3://b/x .
aws s3api delete-bucket --bucket b
aws s3api put-bucket-policy --bucket b --policy file://p.json
aws ec2 --region eu-west-1 stop-instances --instance-ids i-1
aws ec2 run-instances --image-id ami-1
aws ec2 authorize-security-group-ingress --group-id sg-1 --cidr 0.0.0.0/0
aws rds delete-db-instance --db-instance-identifier d --skip-final-snapshot
aws iam create-access-key --user-name bob
aws iam attach-user-policy --user-name bob --policy-arn arn:aws:iam::aws:policy/AdministratorAccess
aws iam put-role-policy --role-name r --policy-name p --policy-document file://p.json
aws lambda update-function-code --function-name f --zip-file fileb://f.zip
aws lambda invoke --function-name f out.json
aws cloudformation delete-stack --stack-name s
aws cloudformation deploy --template-file t.yml --stack-name s
aws ecs update-service --service s --desired-count 0
aws ecs execute-command --task t --command sh --interactive
aws route53 change-resource-record-sets --hosted-zone-id z --change-batch file://c.json
aws dynamodb delete-table --table-name t
aws dynamodb batch-write-item --request-items file://i.json
aws sqs purge-queue --queue-url u
aws kms schedule-key-deletion --key-id k
aws secretsmanager get-secret-value --secret-id s
aws secretsmanager delete-secret --secret-id s
aws ssm get-parameter --name /db/password --with-decryption
aws ssm start-session --target i-1
aws ssm send-command --document-name AWS-RunShellScript --targets Key=tag,Values=x
aws sts assume-role --role-arn r --role-session-name s
aws cloudtrail stop-logging --name t
aws cloudtrail delete-trail --name t
aws guardduty delete-detector --detector-id d
aws logs delete-log-group --log-group-name g
aws configure get aws_secret_access_key
aws configure export-credentials
aws deploy create-deployment --application-name a
gcloud functions deploy f --runtime nodejs20
gcloud run deploy web --image gcr.io/p/web
gcloud beta run deploy web --source .
gcloud app deploy
gcloud builds submit --tag gcr.io/p/web
gcloud deploy releases create r1 --delivery-pipeline p
gcloud compute instances delete vm --quiet
gcloud compute instances reset vm
gcloud compute ssh vm --command 'sudo reboot'
gcloud projects delete p
gcloud projects add-iam-policy-binding p --member user:a@b --role roles/owner
gcloud sql instances delete db
gcloud secrets versions access latest --secret s
gcloud auth print-access-token
gcloud iam service-accounts keys create k.json --iam-account a
gcloud config configurations create other
gcloud storage rm -r gs://b
gcloud storage cp secret.txt gs://b/
gsutil -m rm -r gs://b
gsutil iam ch allUsers:objectViewer gs://b
az vm delete --name vm --yes
az group delete --name g --yes --no-wait
az ad sp create-for-rbac --role Owner
az keyvault secret show --vault-name v --name s
az storage account keys list --account-name a
az webapp up --name w
az deployment group create --resource-group g --template-file t.bicep
az rest --method delete --url https://management.azure.com/x
az vm run-command invoke --name vm --command-id RunShellScript
terraform apply -auto-approve
terraform destroy -v
terraform state rm aws_s3_bucket.b
terraform taint aws_instance.i
terraform force-unlock 123
tofu apply
terragrunt run-all destroy
pulumi up --yes
pulumi up --diff --yes
pulumi up --plan p.json
heroku addons:create heroku-postgresql --plan premium-0
gh repo delete help
pulumi stack rm dev
cdk deploy --all
cdk destroy
sam deploy --guided
serverless remove
sls deploy --stage prod
ansible all -m shell -a 'reboot'
ansible web -a 'rm -rf /srv/x'
ansible-playbook -i prod site.yml
ansible-galaxy collection install community.general
packer build image.pkr.hcl
vagrant destroy -f
heroku maintenance:on
heroku pg:reset DATABASE_URL --confirm app
heroku config:unset KEY
heroku run bash
heroku ps:scale web=0
fly deploy
fly apps destroy web
fly ssh console
vercel deploy --prod
vercel rm web --yes
vercel env rm KEY production
netlify deploy --prod
netlify sites:delete
railway up
railway down
supabase db push
supabase db reset --linked
firebase deploy --only hosting
firebase firestore:delete --all-collections
wrangler deploy
wrangler secret put KEY
wrangler d1 execute db --remote --command 'DROP TABLE t'
turso db shell dev 'DELETE FROM users'
turso db shell dev < seed.sql
heroku pg:psql -a app -c 'UPDATE users SET a = 1'
heroku pg:psql -a app
aws rds-data execute-statement --resource-arn r --sql 'TRUNCATE t'
gcloud spanner databases execute-sql db --instance=i --sql='DELETE FROM t WHERE true'
copilot app delete --yes
copilot svc deploy --name api
wrangler kv:key:delete --binding KV k
doctl compute droplet delete 1 --force
hcloud server delete s
linode-cli linodes delete 1
eksctl delete cluster --name c
eb terminate env
oci compute instance terminate --instance-id i
argocd app sync web
argocd app delete web
flux reconcile kustomization apps
flux uninstall
vault kv get secret/db
vault kv delete secret/db
vault operator seal
vault audit disable file
vault token create
consul kv delete -recurse app
nomad job stop web
nomad alloc exec a sh
gh repo delete me/app --yes
gh secret set TOKEN
gh api -X DELETE repos/me/app/releases/1
gh pr merge 4 --squash
gh release create v1.0.0
gh workflow run deploy.yml
gh gist create notes.py
gh auth token
gh repo edit --visibility public
glab mr merge 4
glab repo delete me/app
glab variable set KEY value
glab ci retry 7
kubectl delete pods --all
kubectl delete ns staging
kubectl delete -f deploy.yml
kubectl apply -f https://x.example/all.yml
kubectl drain node-1 --ignore-daemonsets
kubectl scale deploy/web --replicas=0
kubectl edit deploy web
kubectl label nodes --all x=y
kubectl cp secrets.txt web-1:/tmp/
kubectl port-forward --address 0.0.0.0 svc/db 5432:5432
kubectl proxy --address=0.0.0.0
kubectl get secret db -o yaml
kubectl get secrets,configmaps -ojson
kubectl config view --raw
kubectl config set-context --current --namespace=prod
kubectl config delete-context prod
kubectl exec -it web-1 -- bash
kubectl exec web-1
kubectl exec -it web-1 -c app -- sh
kubectl exec web-1 -- rm -rf /data
kubectl create token admin
kubectl krew install x
oc rsh web-1
oc delete project p
helm uninstall web
helm upgrade --install web ./chart
helm rollback web 1
helm push web-1.0.0.tgz oci://registry.example/charts
helm plugin install https://x.example/plugin
helm plugin uninstall diff
kubeadm reset -f
kubeadm token create
istioctl install -y
velero backup delete b --confirm
velero restore create --from-backup b
helmfile destroy
skaffold run
tilt down
kind delete cluster
minikube delete
docker rm -f db
docker --tlskey k rm -f db
docker --unknown-option x volume rm data
kubectl --unknown-option x delete pod web-1
systemctl --image x stop nginx
docker rmi app
docker volume rm data
docker system prune -af --volumes
docker kill web
docker stop $(docker ps -q)
docker compose down -v
docker compose down --rmi all
docker compose -f prod.yml down -v
docker compose -p app -f prod.yml exec db psql -c 'DROP TABLE t'
systemd-nspawn -D /srv/root rm -rf /srv
machinectl terminate c
loginctl poweroff
launchctl asuser 501 id
hostnamectl hostname other
npx sequelize-cli db:migrate:undo:all
curl -X POST http://localhost:9200/logs/_delete_by_query -d '{}'
docker compose rm -f
docker run --privileged alpine
docker run -v /:/host alpine
docker run --pid=host alpine
docker run -v /var/run/docker.sock:/var/run/docker.sock alpine
docker run -v ~/.aws:/root/.aws alpine
docker run --cap-add SYS_ADMIN alpine
docker cp ~/.ssh/id_rsa web:/tmp/
docker push me/app:1
docker buildx build --push -t me/app:1 .
docker compose push
docker swarm leave --force
docker stack rm app
docker service scale web=0
docker stack deploy -c stack.yml app
virsh snapshot-delete vm s
VBoxManage unregistervm vm --delete
lxc stop --all
vagrant box remove x
docker plugin install vieux/sshfs
docker -H ssh://prod rm web
docker exec db psql -c 'DROP TABLE users'
docker compose exec -T db psql -U app -c 'TRUNCATE orders'
podman rm -fa
nerdctl rmi app
crictl rmi app
ctr images rm app
buildah rm --all
skopeo copy docker-daemon:app:1 docker://registry.example/app:1
skopeo delete docker://registry.example/app:1
lxc delete c --force
terraform init -from-module=https://x.example/m
terraform state pull
heroku config
gh auth status --show-token
gh auth login --with-token < token.txt
gh pr comment 4 -F /home/user/.ssh/id_rsa
gh issue comment 4 --body "$(cat /etc/hosts)"
oc whoami -t
helm repo add x https://charts.example
vagrant plugin install x
vagrant box add https://x.example/b.box
docker build https://x.example/r.git
docker trust revoke me/app
docker save app | ssh h docker load
docker run -v "$PWD":/w alpine rm -rf /w
docker run -v "$PWD":/w -w /w node rm -rf src
docker run --rm -v data:/d alpine rm -rf /d
docker run --rm -v ~/.ssh:/k:ro alpine cat /k/id_rsa
docker compose run web rm -rf /app
docker exec db rm -rf /var/lib/x
machinectl shell
lxc config device add c d disk source=/ path=/x
npx gh-pages -d site
surge dist x.example
surge teardown x.example
scancel -u bob
cap production deploy
bundle exec cap staging deploy
fastlane beta
eas submit -p ios
huggingface-cli upload me/x out
kaggle competitions submit -c t -f out.csv
ibmcloud resource group-delete g
virsh undefine vm
multipass delete vm
ros2 topic pub --once /cmd_vel geometry_msgs/msg/Twist '{}'
ros2 service call /arm/home std_srvs/srv/Trigger
rosparam set /arm/speed 9
cansend can0 123#00
mbpoll -a 1 10.0.0.7 255
hass-cli service call lock.unlock
esptool.py write_flash 0x0 fw.bin
STM32_Programmer_CLI -c port=SWD -ob RDP=0xBB
ideviceinstaller -U com.acme.app
minipro -p AT28C256 -w rom.bin
snapcraft close acme edge
web-ext sign --channel listed
cosign sign --yes ghcr.io/acme/app
regctl tag rm registry.test/app:v1
crane delete registry.test/app:v1
ko build ./cmd/app
bazel run //docker:push
jf rt u a.jar libs/
amtool silence add alertname=x
nsupdate -k k.key update.txt
cli53 rrdelete example.com www A
kafka-acls.sh --bootstrap-server k:9092 --add --allow-principal User:a --operation All --topic t
wp user create mallory m@x.test --role=administrator
wp plugin install https://x.test/p.zip
drush sql:drop -y
shopify theme push --live
airflow dags delete etl -y
airflow connections get db
dagster run wipe
apptainer push app.sif library://acme/app
ollama rm llama3
sbt clean +publishSigned
clojure -T:build deploy
lxc storage volume delete default vol1
vboxmanage snapshot dev delete snap1
signal-cli -u +49123 send -m hi +49456
pueue add -- 'hcloud server delete web-1'
screen -S mc -X stuff 'stop\\n'
tmux send-keys -t mc stop Enter
xdotool search --name X windowactivate key Return
brew bump-formula-pr acme
shorewall clear
dism.exe /online /disable-feature /featurename:X
circleci context delete github acme prod
""".strip().splitlines()

PERMITTED = """
aws s3 ls s3://b
aws s3 cp s3://b/report.pdf .
aws s3 sync s3://b/data data
aws s3 rm s3://b/x --dryrun
aws s3 sync . s3://b --delete --dryrun
aws ec2 describe-instances --filters Name=tag:x,Values=delete
aws ec2 run-instances --dry-run --image-id ami-1
aws ec2 run-instances --generate-cli-skeleton
aws sts get-caller-identity
aws logs tail /aws/lambda/f --since 1h
aws logs start-query --log-group-name g
aws iam list-users
aws iam get-role --role-name r
aws ssm get-parameter --name /db/host
aws deploy list-deployments
aws cloudformation describe-stack-events --stack-name s
aws cloudformation validate-template --template-body file://t.yml
aws cloudformation deploy --no-execute-changeset --template-file t.yml
aws ecr get-login-password
aws configure list
aws eks update-kubeconfig --name c
aws --endpoint-url http://localhost:4566 s3 mb s3://test
aws help
aws ec2 terminate-instances help
gcloud config list
gcloud config set project p
gcloud projects list
gcloud compute instances list
gcloud run services describe web
gcloud deploy releases list
gcloud functions logs read f
gcloud logging read 'severity>=ERROR'
gcloud access-context-manager policies list
gcloud kms keys list --keyring k --location global
gcloud iam service-accounts keys list --iam-account a
gcloud container clusters get-credentials c
gcloud auth application-default login
gcloud storage cp gs://b/x .
gsutil ls gs://b
gsutil cat gs://b/x
az vm list -o table
az account show
az aks get-credentials --name c
az rest --method get --url https://management.azure.com/x
az deployment group what-if --resource-group g --template-file t.bicep
terraform init
terraform plan -out plan.bin
terraform plan -destroy
terraform validate
terraform fmt -recursive
terraform show plan.bin
terraform output -json
terraform state list
terraform workspace select dev
terraform apply -help
terragrunt run-all plan
pulumi preview
aws s3 rm help
fly deploy --build-only
pulumi stack ls
cdk synth
cdk diff
sam build
sam local invoke F
serverless invoke local -f f
sls deploy list
ansible all -m ping
ansible all -m setup
ansible-playbook --check site.yml
ansible-playbook site.yml --syntax-check
ansible-inventory --list
ansible-lint site.yml
ansible-galaxy install -r requirements.yml
ansible-galaxy role init web
packer validate image.pkr.hcl
vagrant status
vagrant box list
vagrant snapshot list
gcloud emulators firestore start
firebase emulators:exec 'npm test'
docker service ls
docker service logs web
lxc stop c
virsh list
vagrant up
heroku logs --tail
heroku apps
heroku local
fly status
fly logs
vercel dev
vercel ls
vercel env pull
netlify dev
netlify status
railway logs
railway run npm start
supabase start
supabase status
supabase migration new add_users
supabase gen types typescript --local
firebase emulators:start
wrangler dev
wrangler tail
wrangler d1 execute db --local --command 'SELECT 1'
wrangler d1 execute db --remote --command 'SELECT 1'
turso db shell dev 'SELECT count(*) FROM users'
heroku pg:psql -a app -c 'SELECT 1'
aws rds-data execute-statement --resource-arn r --sql 'SELECT 1'
gcloud spanner databases execute-sql db --instance=i --sql='SELECT 1'
copilot svc ls
copilot -p 'delete the app from the list of projects'
doctl kubernetes cluster list
hcloud server list
eksctl get cluster
argocd app diff web
argocd app list
flux get kustomizations
vault status
consul members
consul kv get app/x
nomad status
nomad job plan web.nomad
gh pr list
gh pr view 4 --comments
docker run --rm -v "$PWD":/w -w /w node rm -rf build
docker run --rm -v "$PWD":/w -w /w golang sh -c 'rm -f out.txt && go build'
docker run --rm alpine sh -c 'rm -rf /var/cache/apk/*'
lxc exec c -- ls
gh pr create --fill
gh pr edit 4 --body "dropdb prod is never called"
gh pr comment 4 -F notes.md
gh run rerun 7 --failed
gh auth login
gh issue close 5
pg_restore --list backup.dump
glab mr create --title "shutdown -h now in CI" --yes
oc whoami
terraform init -upgrade
terragrunt hclfmt
ansible-vault view --help
cap -T
surge list
gh-pages --help
squeue -u bob
fastlane test
eas build:list
huggingface-cli download me/x
kaggle datasets list
docker save app | gzip
docker load -i app.tar
gh run list
gh run view 7 --log
gh api repos/me/app/pulls
gh secret list
gh release list
glab mr list
glab mr view 4
glab ci status
glab alias delete x
kubectl get pods -A
kubectl get secrets
kubectl get secret db -o name
kubectl describe secret db
kubectl logs -f deploy/web
kubectl apply --dry-run=client -f deploy.yml
kubectl diff -f deploy.yml
kubectl rollout status deploy/web
kubectl auth can-i delete pods
kubectl config get-contexts
kubectl config current-context
kubectl config use-context kind-dev
kubectl config view
kubectl exec web-1 -- cat /etc/hosts
kubectl exec -it web-1 -- env
kubectl cp web-1:/tmp/x.log ./x.log
kubectl cordon --help
kubectl port-forward svc/db 5432:5432
kubectx
kubens
helm list
helm template ./chart
helm lint ./chart
helm create chart
helm dependency update ./chart
helm upgrade web ./chart --dry-run
helm plugin list
helm show values bitnami/redis
kubeadm version
istioctl analyze
velero backup get
helmfile diff
skaffold render
kustomize build overlays/dev
stern web
kind get clusters
kind create cluster
minikube start
minikube status
docker ps -a
docker images
docker logs -f web
docker inspect web
docker build -t app .
docker build --network host --build-arg V=1 .
docker pull alpine
docker tag app me/app:1
docker stop web
docker restart web
docker run --rm alpine echo hi
docker run --rm -v "$PWD":/w -w /w node:20 npm test
docker exec web ls /app
docker exec -it web bash
docker cp web:/app/log.txt .
docker save app -o app.tar
docker compose up -d
docker compose ps
docker compose logs web
docker compose down
docker compose stop web
docker compose -f dev.yml down
docker compose -f dev.yml logs web
hostnamectl hostname
hostnamectl
loginctl list-sessions
vagrant ssh -c 'ls /srv'
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 1 -subj /CN=localhost
openssl genrsa -out dev.key 2048
curl -X POST http://localhost:9200/logs/_search -d '{}'
docker compose exec web pytest -q
docker compose exec -T db psql -U app -c 'SELECT 1'
docker compose build
docker context ls
docker context use default
docker buildx ls
docker volume ls
docker network create dev
podman ps
podman images
nerdctl ps
crictl ps
ctr images ls
buildah bud -t app .
skopeo inspect docker://alpine
skopeo list-tags docker://alpine
ros2 topic echo /cmd_vel
ros2 service list
ros2 launch robot bringup.launch.py
rosparam get /arm/speed
cansend vcan0 123#00
mbpoll -a 1 10.0.0.7
hass-cli state list
esptool.py image_info fw.bin
STM32_Programmer_CLI -l
ideviceinstaller -l
minipro -p AT28C256 -r rom.bin
snapcraft lint a.snap
web-ext lint --source-dir dist
cosign verify --key k.pub ghcr.io/acme/app
regctl tag ls registry.test/app
crane manifest alpine
ko build --local ./cmd/app
bazel run //tools:gen
jf rt search libs/
amtool check-config a.yml
cli53 list
kafka-acls.sh --bootstrap-server k:9092 --list
wp plugin list
drush status
shopify theme check
airflow dags test etl 2024-01-01
dagster asset list
apptainer exec app.sif python --version
ollama list
sbt clean publishLocal
clojure -M:test
lxc storage volume list default
vboxmanage snapshot dev list
pueue status
tmux send-keys -t dev 'npm test' Enter
xdotool search --name X getwindowgeometry
shorewall check
swaks --server localhost:1025 --to a@example.com --from b@example.com
nix develop --command bash -c 'make test'
circleci local execute --job test
""".strip().splitlines()
