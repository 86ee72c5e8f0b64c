"""The aliases that every PowerShell session starts with (``Get-Alias``; about_Aliases), and the
verbs of cmdlets (``Get-Verb``).
"""

from __future__ import annotations

from interlock.data.words import words

_ALIASES = """
add-content=ac clear-content=clc clear-host=clear,cls clear-history=clhy clear-item=cli
clear-itemproperty=clp clear-variable=clv
compare-object=compare,diff copy-item=copy,cp,cpi copy-itemproperty=cpp convert-path=cvpa
disable-psbreakpoint=dbp get-childitem=dir,gci,ls
enter-pssession=etsn exit-pssession=exsn export-csv=epcsv export-alias=epal format-custom=fc
format-list=fl foreach-object=foreach,%
format-table=ft format-wide=fw get-alias=gal get-content=gc,cat,type get-command=gcm
get-clipboard=gcb get-computerinfo=gin
get-history=ghy,h,history get-item=gi get-job=gjb get-location=gl,pwd get-member=gm get-module=gmo
get-itemproperty=gp get-process=gps,ps
get-itempropertyvalue=gpv group-object=group get-pssession=gsn get-service=gsv get-timezone=gtz
get-unique=gu get-variable=gv get-wmiobject=gwmi
get-help=help,man invoke-command=icm invoke-expression=iex invoke-history=ihy,r invoke-item=ii
import-alias=ipal import-csv=ipcsv import-module=ipmo
invoke-restmethod=irm invoke-webrequest=iwr,curl,wget invoke-wmimethod=iwmi powershell_ise.exe=ise
stop-process=kill,spps measure-object=measure
mkdir=md move-item=mi,move,mv move-itemproperty=mp new-alias=nal new-psdrive=ndr,mount new-item=ni
new-module=nmo new-pssession=nsn
new-variable=nv out-gridview=ogv out-host=oh pop-location=popd push-location=pushd
remove-item=ri,rm,rmdir,del,erase,rd remove-job=rjb
rename-item=rni,ren remove-module=rmo remove-psdrive=rdr rename-itemproperty=rnp
remove-itemproperty=rp remove-pssession=rsn remove-variable=rv
remove-wmiobject=rwmi resolve-path=rvpa set-alias=sal start-job=sajb start-process=saps,start
start-service=sasv set-content=sc
set-clipboard=scb select-object=select set-item=si set-location=sl,cd,chdir start-sleep=sleep
select-string=sls sort-object=sort set-itemproperty=sp
stop-job=spjb stop-service=spsv set-variable=sv,set set-wmiinstance=swmi set-timezone=stz
tee-object=tee trace-command=trcm where-object=where,?
wait-job=wjb write-output=echo,write add-pssnapin=asnp receive-job=rcjb test-netconnection=tnc
get-netipaddress=gip resume-job=rujb
compress-archive=zip-archive receive-pssession=rcsn connect-pssession=cnsn
disconnect-pssession=dnsn invoke-ciminstance=icim
get-ciminstance=gcim invoke-cimmethod=icim remove-ciminstance=rcim new-ciminstance=ncim
set-ciminstance=scim
"""
ALIASES: dict[str, str] = {
    alias: name
    for entry in _ALIASES.split()
    for name, _, aliases in [entry.partition("=")]
    for alias in aliases.split(",")
}

LOOKING = frozenset(
    "get test measure select where sort group format out write show find search compare convert convertto convertfrom join split resolve read wait trace "
    "debug ping skip step receive watch limit use enter exit assert describe it should context foreach tee expand confirm validate import".split()
)
"""Verbs of cmdlets that change nothing outside their session."""

MACHINE_NOUNS = words("powershell", "machine nouns")
CLOUD_NOUNS = words("powershell", "cloud nouns")
ATTACKING = words("powershell", "attacking")
